//! The log ends inside a turn.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};
use crate::evidence::Says;

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.open_turn",
        severity: Severity::Info,
        summary: "the log ends inside a turn",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client died, or still works, in its last turn. What it had written is kept.

## How it is recognised

A record says that a turn began, and none that it ended.

## What still works

Resuming, with everything that was written.

## What to do

Nothing.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let Some(log) = &session.log else {
        return Verdict::Pass;
    };
    match &log.count {
        Some(Says::Read(count)) if count.facts.has_open_turn && session.lost(log) == Some(0) => {
            Verdict::Found(Evidence::new("the last turn has no end").file(&log.path, "ends inside a turn"))
        }
        _ => Verdict::Pass,
    }
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
                    "a turn without an end",
                    |session| sample::count(session, |count| count.facts.has_open_turn = true),
                    Answer::Found,
                ),
                (
                    "one that could not be counted",
                    |session| sample::open(session, |log| log.count = None),
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
