//! The log is gone, and no sweep took it.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.lost",
        severity: Severity::Error,
        summary: "the session existed, and its log is gone",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

Something proves that the session existed, and there is no log of it: it was never written (a switch kept
the client from saving, or the disk was full), or it was deleted by hand or by a cleaner.

## How it is recognised

No log of that id is anywhere, something else knows the id, and the client's sweep does not explain it.

## What still works

What the other traces hold.

## What to do

Look for a switch that keeps the client from saving; replay what is known into a new session.

## Reports

anthropics/claude-code#76829, #77732, #66618, #93132.
";

fn run(session: &Session) -> Verdict {
    if session.has_log() || session.witnesses.is_empty() {
        return Verdict::Pass;
    }
    let last = session
        .witnesses
        .iter()
        .filter_map(|witness| witness.modified)
        .max();
    let days = session.settings.cleanup_days.unwrap_or(30) as i64;
    let is_swept = last
        .zip(session.last_cleanup)
        .is_some_and(|(last, sweep)| (sweep.as_second() - last.as_second()) / 86_400 >= days);
    if is_swept {
        return Verdict::Pass;
    }
    let mut evidence = Evidence::new("the session existed, and its log is gone");
    for witness in &session.witnesses {
        evidence = evidence.file(&witness.path, witness.says);
    }
    Verdict::Found(evidence.remedy(Remedy::advice(
        "look for a switch that keeps the client from saving; replay what is known",
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::claude::home::witness::Witness;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                {
                    let mut session = Session::healthy().without_log();
                    session.witnesses = vec![Witness {
                        path: "/c/file-history/x".into(),
                        says: "its checkpoints of files",
                        modified: "2026-09-01T00:00:00Z".parse().ok(),
                    }];
                    session
                },
                true,
                "the fault",
            ),
            (Session::healthy(), false, "a healthy session"),
            (
                Session::healthy().with_unreadable_log(),
                false,
                "a log that cannot be read",
            ),
        ] {
            assert_eq!(matches!(run(&session), Verdict::Found(_)), is_found, "{what}");
        }
    }
}
