//! The log may not be written.

use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.not_writable",
        severity: Severity::Error,
        summary: "the log may not be written",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client opens the log for writing before it goes on, and refuses: `failed to resume local thread recorder:
Permission denied`.

## How it is recognised

Mode or owner of the log forbid writing.

## What still works

The log can be read.

## What to do

Give the client the right to write it.

## Reports

openai/codex issues #34124.
";

fn run(session: &Session) -> Verdict {
    let Some(log) = session
        .log
        .as_ref()
        .filter(|log| log.rollout.is_read() && !log.is_writable)
    else {
        return Verdict::Pass;
    };
    Verdict::Found(
        Evidence::new(format!("{} may not be written", log.path.display()))
            .remedy(remedy::permit(&log.path, "u+w", true)),
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
                    "no right to write",
                    |session| sample::open(session, |log| log.is_writable = false),
                    Answer::Found,
                ),
                ("no log", |session| session.log = None, Answer::Pass),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
