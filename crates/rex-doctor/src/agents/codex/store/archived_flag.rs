//! The row is archived, the log is not.

use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.store.archived_flag",
        severity: Severity::Error,
        summary: "the row is archived, the log is not",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

Resuming by id is refused with `is archived`, although the log lies among the active ones. Any listing puts
the flag right, so the same command may work a minute later.

## How it is recognised

The row has `archived_at`, and its path lies below `sessions`.

## What still works

`codex exec resume --last` and every list: they look at the folder.

## What to do

Take it out of the archive, or open a list once.

## Reports

openai/codex issues #25769.
";

fn run(session: &Session) -> Verdict {
    let Some(row) = session.row().filter(|row| row.is_archived) else {
        return Verdict::Pass;
    };
    let is_active = row.rollout_path.starts_with(session.home.path.join("sessions"));
    if !is_active {
        return Verdict::Pass;
    }
    Verdict::Found(
        Evidence::new(format!("the row of {} is archived, its log is not", row.id))
            .file(&row.rollout_path, "lies among the active logs")
            .remedy(remedy::set_row(
                session,
                "take the flag off the row",
                "archived = 0, archived_at = NULL",
                true,
            )),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::sample::{self, Answer};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "a flag alone",
                    |session| sample::row(session, |row| row.is_archived = true),
                    Answer::Found,
                ),
                (
                    "a log in the archive",
                    |session| {
                        sample::row(session, |row| {
                            row.is_archived = true;
                            row.rollout_path = "/h/.codex/archived_sessions/x".into();
                        });
                    },
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
