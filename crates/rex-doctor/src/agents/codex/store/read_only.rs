//! The state database may not be written.

use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.store.read_only",
        severity: Severity::Warning,
        summary: "the state database may not be written",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The session resumes in full; its row is not brought up to date, so lists show an old state. The client only
logs `attempt to write a readonly database`.

## How it is recognised

Mode or owner of the state database forbid writing.

## What still works

Resuming, with all messages saved to the log.

## What to do

Give the client the right to write it.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let path = session.home.state_db();
    if session.stores.is_writable || session.stores.state.read().is_none() {
        return Verdict::Pass;
    }
    Verdict::Found(
        Evidence::new(format!("{} may not be written", path.display()))
            .remedy(remedy::permit(&path, "u+w", false)),
    )
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
                    "no right to write",
                    |session| session.stores.is_writable = false,
                    Answer::Found,
                ),
                (
                    "a store that does not open",
                    |session| {
                        session.stores.is_writable = false;
                        session.stores.state = Opening::Absent;
                    },
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
