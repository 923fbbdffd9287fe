//! The application around the client expects another log.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.mismatch.host_log",
        severity: Severity::Warning,
        summary: "the application around the client expects another log",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The application names a log for this session, and it is not the one that the client opens.

## How it is recognised

`--host-log` names another path than the one that the client comes by.

## What still works

Whatever the client itself does.

## What to do

Correct the application's record.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let Some((expected, is_there)) = &session.host_log else {
        return Verdict::Pass;
    };
    let own = session
        .log
        .as_ref()
        .filter(|log| !log.is_nowhere())
        .map(|log| &log.path);
    if own == Some(expected) {
        return Verdict::Pass;
    }
    let there = if *is_there {
        "which is there"
    } else {
        "at which nothing lies"
    };
    let opens = own.map_or_else(
        || "opens none".to_owned(),
        |own| format!("opens {}", own.display()),
    );
    Verdict::Found(
        Evidence::new(format!(
            "the application expects {}, {there}; the client {opens}",
            expected.display()
        ))
        .remedy(Remedy::advice("correct the application's record")),
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
                    "another path",
                    |session| session.host_log = Some(("/x.jsonl".into(), false)),
                    Answer::Found,
                ),
                (
                    "the same path",
                    |session| session.host_log = Some((sample::LOG.into(), true)),
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
