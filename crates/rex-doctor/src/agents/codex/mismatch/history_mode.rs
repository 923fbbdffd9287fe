//! The row calls the log legacy, the log is numbered.

use crate::agents::codex::meta::HistoryMode;
use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.mismatch.history_mode",
        severity: Severity::Error,
        summary: "the row calls the log legacy, the log is numbered",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client loads the session and then cannot show its turns: `list_turns is not supported yet`, on every
surface. A client of before numbered logs has made the row anew.

## How it is recognised

`threads.history_mode` is `legacy`, and the first record of the log says `paginated`.

## What still works

The log is whole; without the row, or with the right word in it, the session resumes in full.

## What to do

Delete the row, or put `paginated` into it.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let (Some(row), Some(rollout)) = (session.row(), session.rollout()) else {
        return Verdict::Pass;
    };
    let is_numbered = rollout
        .meta()
        .is_some_and(|meta| meta.history_mode == HistoryMode::Paginated);
    let has_column = session
        .state()
        .is_none_or(|state| state.missing_column != Some("history_mode"));
    if row.history_mode != "legacy" || !is_numbered || !session.numbers_records || !has_column {
        return Verdict::Pass;
    }
    Verdict::Found(
        Evidence::new("the row says legacy, the log says paginated")
            .at(&rollout.path, 0, "history_mode in the first record")
            .remedy(remedy::delete_row(session, true))
            .remedy(remedy::set_row(
                session,
                "or put the right word into the row",
                "history_mode = 'paginated'",
                true,
            )),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::meta::Head;
    use crate::agents::codex::sample::{self, Answer};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "a legacy row",
                    |session| sample::row(session, |row| row.history_mode = "legacy".to_owned()),
                    Answer::Found,
                ),
                (
                    "a client that does not know numbers",
                    |session| {
                        session.numbers_records = false;
                        sample::row(session, |row| row.history_mode = "legacy".to_owned());
                    },
                    Answer::Pass,
                ),
                (
                    "a log that does not read",
                    |session| {
                        sample::row(session, |row| row.history_mode = "legacy".to_owned());
                        sample::log(session, |log| log.head = Head::Empty);
                    },
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
