//! The log was begun a moment ago.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.too_fresh",
        severity: Severity::Info,
        summary: "the log was begun a moment ago",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client makes the file before it writes the first record. Asked in between, it says `rollout at … is
empty`, and a moment later all is well.

## How it is recognised

The file holds no byte and was changed within the last five seconds.

## What still works

Everything, a moment later.

## What to do

Ask again.

## Reports

openai/codex issues #38613.
";

fn run(session: &Session) -> Verdict {
    match (&session.log, session.rollout()) {
        (Some(log), Some(rollout)) if rollout.bytes == 0 && (0..5000).contains(&log.age_ms) => {
            Verdict::Found(
                Evidence::new("the log is empty and a moment old: ask again")
                    .file(&log.path, "holds no byte yet"),
            )
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
                    "an empty file of now",
                    |session| {
                        sample::log(session, |log| log.bytes = 0);
                        sample::open(session, |log| log.age_ms = 40);
                    },
                    Answer::Found,
                ),
                (
                    "an empty file of yesterday",
                    |session| sample::log(session, |log| log.bytes = 0),
                    Answer::Pass,
                ),
                ("no log", |session| session.log = None, Answer::Pass),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
