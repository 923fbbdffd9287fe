//! The client may not make the writer lock.

use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.client.lock_refused",
        severity: Severity::Error,
        summary: "the client may not make the writer lock",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client takes a lock of its own for each session before it writes, and refuses where it may not: `failed to
open thread writer lock`.

## How it is recognised

Mode or owner of `thread-writer-locks`, or of the session's file in it, forbid writing.

## What still works

Reading.

## What to do

Give the folder back to its user.

## Reports

openai/codex issues #34124.
";

fn run(session: &Session) -> Verdict {
    let Some(words) = session.cannot_lock else {
        return Verdict::Pass;
    };
    let path = session.home.path.join("thread-writer-locks");
    Verdict::Found(
        Evidence::new(format!("{} may not be written: {words}", path.display()))
            .remedy(remedy::permit(&path, "u+rwx", false)),
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
                    "no right to lock",
                    |session| session.cannot_lock = Some("Permission denied (os error 13)"),
                    Answer::Found,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
