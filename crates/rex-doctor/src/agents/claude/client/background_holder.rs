//! A live background client has the session.

use crate::agents::claude::client::background_holder;
use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.client.background_holder",
        severity: Severity::Error,
        summary: "a client in the background holds the session",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The client refuses to resume a session that another client runs in the background. A client at a terminal is
no obstacle. The session is not at fault.

## How it is recognised

A record in sessions names a living process of another kind than interactive.

## What still works

A fork of the session.

## What to do

Stop it in claude agents, or add --fork-session to go on in a copy.

## Reports

anthropics/claude-code#93132.
";

fn run(session: &Session) -> Verdict {
    let Some(id) = &session.id else {
        return Verdict::Pass;
    };
    let Some(holder) = background_holder(&session.holders, id, session.rules.generation) else {
        return Verdict::Pass;
    };
    let mut fork = session.resume_command(&[]);
    fork.push("--fork-session".to_owned());
    Verdict::Found(
        Evidence::new(format!(
            "process {} ({}) holds the session",
            holder.pid, holder.kind
        ))
        .file(&holder.file, "its record")
        .remedy(Remedy::command("go on in a copy", fork, true))
        .remedy(Remedy::command("or stop it there", ["claude", "agents"], false)),
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
                        kind: "bg".to_owned(),
                        is_alive: true,
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
