//! A stale record of a client.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.client.stale_registry",
        severity: Severity::Info,
        summary: "a client that is gone is still recorded as having the session",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

A client that ended without tidying up left its record. The client looks at the process and is not misled.

## How it is recognised

A record in sessions names the session and a process that is not there, or is another one by now. Where
processes cannot be seen they count as gone.

## What still works

Everything.

## What to do

The record may be deleted.

## Reports

anthropics/claude-code#93132.
";

fn run(session: &Session) -> Verdict {
    let id = session.id.as_deref();
    let Some(holder) = session
        .holders
        .iter()
        .find(|holder| Some(holder.session.as_str()) == id && !holder.is_alive)
    else {
        return Verdict::Pass;
    };
    let seen = if session.sees_processes {
        "is gone"
    } else {
        "cannot be seen and counts as gone"
    };
    Verdict::Found(
        Evidence::new(format!(
            "process {} is recorded as having the session and {seen}",
            holder.pid
        ))
        .file(&holder.file, "its record"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::claude::home::Holder;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                {
                    let mut session = Session::healthy();
                    session.holders = vec![Holder {
                        file: "/c/sessions/7.json".into(),
                        pid: 7,
                        session: "05d99db5-94c4-4413-a0e2-5bcd11901e0a".to_owned(),
                        kind: "interactive".to_owned(),
                        is_alive: false,
                        is_parked: false,
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
