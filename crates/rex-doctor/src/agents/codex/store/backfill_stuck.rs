//! The first look through the folders is under way or was given up.

use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.store.backfill_stuck",
        severity: Severity::Error,
        summary: "the first look through the folders is under way or was given up",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

A client that finds an unindexed home looks through all folders first. While one does, the others wait: `codex
exec` half a minute, after which it says `list_turns is not supported yet`; the app server and the terminal go
on waiting.

## How it is recognised

`backfill_state.status` is `running`, and the record is younger than a quarter of an hour. An older one is
begun again and is harmless.

## What still works

After a quarter of an hour, everything.

## What to do

Wait, if a client is at work. Else move the state database aside.

## Reports

openai/codex issues #41614, #28087. stablyai/orca #11828.
";

fn run(session: &Session) -> Verdict {
    let path = session.home.state_db();
    match session.state().and_then(|state| state.backfill.as_deref()) {
        Some("running") => Verdict::Found(
            Evidence::new(format!("{}: backfill_state is running", path.display())).remedy(remedy::aside(
                &path,
                "where no client is at work, move the state database aside",
                false,
            )),
        ),
        _ => Verdict::Pass,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::sample::{self, Answer};
    use crate::agents::codex::store::Opening;

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "one that runs",
                    |session| sample::state(session, |state| state.backfill = Some("running".to_owned())),
                    Answer::Found,
                ),
                (
                    "one that is complete",
                    |session| sample::state(session, |state| state.backfill = Some("complete".to_owned())),
                    Answer::Pass,
                ),
                (
                    "a store that does not open",
                    |session| session.stores.state = Opening::Absent,
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
