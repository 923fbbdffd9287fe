//! The log is there, the store has no row for it.

use crate::agents::codex::log::Spot;
use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.store.no_row",
        severity: Severity::Info,
        summary: "the log is there, the store has no row for it",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The index is behind. Resuming by id finds the log by its name and makes the row again; lists may not show the
session until then.

## How it is recognised

The state database was read, or is not there, and has no row of the id; a file with the id lies below
`sessions`.

## What still works

Everything by id.

## What to do

Nothing. Opening any list once makes the row again.

## Reports

openai/codex issues #28068, #31433, #41814.
";

fn run(session: &Session) -> Verdict {
    let Some(id) = session.thread() else {
        return Verdict::Pass;
    };
    if session.stores.state.fault().is_some() || session.row().is_some() {
        return Verdict::Pass;
    }
    match session
        .files
        .by_name(id)
        .filter(|file| file.spot != Spot::Archived)
    {
        Some(file) => Verdict::Found(
            Evidence::new(format!("no row of {id}; the client finds its log by the name"))
                .file(&file.path, "the log")
                .remedy(remedy::by_id(
                    id,
                    "resume it by its id: that makes the row again",
                    true,
                )),
        ),
        None => Verdict::Pass,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::sample::{self, Answer};
    use crate::agents::codex::store::{Fault, Opening};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "no row",
                    |session| sample::state(session, |state| state.row = None),
                    Answer::Found,
                ),
                (
                    "no store",
                    |session| session.stores.state = Opening::Absent,
                    Answer::Found,
                ),
                (
                    "a store that does not open",
                    |session| session.stores.state = Opening::Broken(Fault::NotADatabase),
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
