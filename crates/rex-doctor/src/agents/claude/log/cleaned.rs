//! The sweep took the log.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};
use jiff::Timestamp;

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.cleaned",
        severity: Severity::Error,
        summary: "the log was deleted by the client's own sweep",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The session existed and its log is gone. The client swept old logs after the session was last used, and it
was older than the period then.

## How it is recognised

No log of that id is anywhere; something else proves that the session existed; .last-cleanup is newer than
its last trace by more than the period.

## What still works

What the other traces hold: prompts, checkpoints of files, results of tools.

## What to do

The log cannot be brought back. Replay what is known into a new session, and raise cleanupPeriodDays.

## Reports

anthropics/claude-code#86730, #85466, #90866, #84279.
";

fn run(session: &Session) -> Verdict {
    let Some(last) = last_trace(session) else {
        return Verdict::Pass;
    };
    let days = session.settings.cleanup_days.unwrap_or(30) as i64;
    let Some(sweep) = session
        .last_cleanup
        .filter(|sweep| (sweep.as_second() - last.as_second()) / 86_400 >= days)
    else {
        return Verdict::Pass;
    };
    let mut evidence = Evidence::new(format!(
        "the log was deleted: last trace {last}, sweep {sweep}, {days} days are kept"
    ));
    for witness in &session.witnesses {
        evidence = evidence.file(&witness.path, witness.says);
    }
    Verdict::Found(evidence.remedy(Remedy::advice(
        "replay what is known into a new session, and raise cleanupPeriodDays",
    )))
}

/// The time of the newest trace of a session that has no log.
fn last_trace(session: &Session) -> Option<Timestamp> {
    if session.has_log() {
        return None;
    }
    session
        .witnesses
        .iter()
        .filter_map(|witness| witness.modified)
        .max()
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
                    session.last_cleanup = "2026-11-30T00:00:00Z".parse().ok();
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
