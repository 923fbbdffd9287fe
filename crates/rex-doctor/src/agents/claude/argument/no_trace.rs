//! No trace.

use crate::agents::claude::client::Meaning;
use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.argument.no_trace",
        severity: Severity::Error,
        summary: "nobody has any trace of the session",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

Neither a log nor anything else on this disk knows the session.

## How it is recognised

No log of that name is in any config directory that was looked at, and nothing else names the id.

## What still works

Nothing.

## What to do

Check the id, the user and the machine.

## Reports

generalaction/emdash#1229, receptron/mulmoclaude#211.
";

fn run(session: &Session) -> Verdict {
    if session.has_log()
        || !session.witnesses.is_empty()
        || session.candidates.len() > 1
        || session.meaning == Meaning::Address
    {
        return Verdict::Pass;
    }
    let mut evidence = Evidence::new(format!(
        "no trace of {} under {} or elsewhere",
        session.argument,
        session.config.path.display()
    ));
    for id in &session.nearest {
        evidence = evidence.line(format!("nearest: {id}"));
    }
    for place in &session.looked_at {
        evidence = evidence.line(format!("looked at: {place}"));
    }
    Verdict::Found(evidence.remedy(Remedy::advice("check the id, the user and the machine")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (Session::healthy().without_log(), true, "the fault"),
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
