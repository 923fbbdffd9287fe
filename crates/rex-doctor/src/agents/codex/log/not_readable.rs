//! The log may not be read.

use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};
use crate::evidence::{Says, Why};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.not_readable",
        severity: Severity::Error,
        summary: "the log may not be read",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client refuses with `Permission denied`, or with `no rollout found` where a folder on the way may not be
entered.

## How it is recognised

Mode or owner of the log or of a folder above it forbid reading.

## What still works

The log itself is untouched.

## What to do

Give the client the right to read it.

## Reports

openai/codex issues #34124.
";

fn run(session: &Session) -> Verdict {
    let Some(log) = &session.log else {
        return Verdict::Pass;
    };
    match &log.rollout {
        Says::Unreadable(Why::NotPermitted) => Verdict::Found(
            Evidence::new(format!("{} may not be read", log.path.display()))
                .remedy(remedy::permit(&log.path, "u+rw", false)),
        ),
        Says::Unreadable(_) if log.is_nowhere() => Verdict::Pass,
        Says::Unreadable(why) => Verdict::Unknown(format!("{}: {why}", log.path.display())),
        Says::Read(_) | Says::Absent => Verdict::Pass,
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
                    "no right to read",
                    |session| sample::open(session, |log| log.rollout = Says::Unreadable(Why::NotPermitted)),
                    Answer::Found,
                ),
                (
                    "a log that changed",
                    |session| sample::open(session, |log| log.rollout = Says::Unreadable(Why::Changed)),
                    Answer::Unknown,
                ),
                ("no log", |session| session.log = None, Answer::Pass),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
