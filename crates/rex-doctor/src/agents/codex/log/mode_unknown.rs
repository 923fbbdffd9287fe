//! The log has a history mode that the client does not know.

use crate::agents::codex::meta::Head;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.mode_unknown",
        severity: Severity::Error,
        summary: "the log has a history mode that the client does not know",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

A newer client wrote it, or it was changed: `unknown variant`. The client knows `legacy` and `paginated`.

## How it is recognised

`history_mode` in the first record is another word, or no word at all.

## What still works

The release that wrote it.

## What to do

Use the release that wrote it.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let Some(rollout) = session.rollout() else {
        return Verdict::Pass;
    };
    match &rollout.head {
        Head::UnknownMode(words) => Verdict::Found(
            Evidence::new(format!("{}: history_mode: {words}", rollout.path.display()))
                .at(&rollout.path, 0, "the first record")
                .remedy(Remedy::advice("use the release of the client that wrote it")),
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
                    "another mode",
                    |session| sample::log(session, |log| log.head = Head::UnknownMode("x".to_owned())),
                    Answer::Found,
                ),
                (
                    "no first record",
                    |session| sample::log(session, |log| log.head = Head::Empty),
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
