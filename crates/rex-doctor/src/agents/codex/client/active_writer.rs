//! Another process writes into the session.

use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.client.active_writer",
        severity: Severity::Error,
        summary: "another process writes into the session",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

One process may write into a session at a time. The client refuses: `already has an active writer`; the
terminal asks. The holder is often the background server of an application.

## How it is recognised

A process holds a lock on `thread-writer-locks/<id>.lock`. The file alone, without a holder, means nothing.

## What still works

Other sessions; forks of this one.

## What to do

End the holder, or go on in it.

## Reports

openai/codex issues #39823, #38144, #37403, #45406.
";

fn run(session: &Session) -> Verdict {
    let Some(holder) = &session.writer else {
        return Verdict::Pass;
    };
    Verdict::Found(
        Evidence::new(format!("the session is open in {}", remedy::holder(holder)))
            .remedy(remedy::end(holder)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::databases::Holder;
    use crate::agents::codex::sample::{self, Answer};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "a holder",
                    |session| {
                        session.writer = Some(Holder {
                            pid: Some(7),
                            name: Some("codex".to_owned()),
                        });
                    },
                    Answer::Found,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
