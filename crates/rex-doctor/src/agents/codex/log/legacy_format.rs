//! The log is of the format before records had an envelope.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.legacy_format",
        severity: Severity::Error,
        summary: "the log is of the format before records had an envelope",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

Logs of early 2025 hold bare items after a first line without `payload`. The client neither lists nor resumes
them.

## How it is recognised

The first line has `id` and `timestamp` and no `payload`.

## What still works

The text can be read by any other tool.

## What to do

Give the conversation to a new session as a prompt.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    match session.rollout() {
        Some(rollout) if rollout.is_pre_envelope => Verdict::Found(
            Evidence::new(format!(
                "{} is of the format of early 2025",
                rollout.path.display()
            ))
            .at(&rollout.path, 0, "a first line without payload")
            .remedy(Remedy::advice(
                "give the conversation to a new session as a prompt",
            )),
        ),
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
                    "a file of 2025",
                    |session| sample::log(session, |log| log.is_pre_envelope = true),
                    Answer::Found,
                ),
                ("no log", |session| session.log = None, Answer::Pass),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
