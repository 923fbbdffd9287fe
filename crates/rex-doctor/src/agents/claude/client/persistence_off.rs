//! The environment keeps the client from saving sessions.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.client.persistence_off",
        severity: Severity::Error,
        summary: "a switch keeps the client from saving",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

With this switch the client answers and writes no log: a session begun so cannot be resumed, and a resumed
one does not keep the new turn.

## How it is recognised

CLAUDE_CODE_SKIP_PROMPT_HISTORY is on in the environment, or in the env of a settings file. The options --no-session-persistence and
persistSession: false do the same and leave no trace.

## What still works

Reading and answering.

## What to do

Unset the variable, or take it out of the settings.

## Reports

anthropics/claude-code#66618, #77732.
";

fn run(session: &Session) -> Verdict {
    if let Some(path) = &session.settings.saves_nothing {
        return Verdict::Found(
            Evidence::new(format!("{} keeps new turns from being saved", path.display()))
                .file(path, "CLAUDE_CODE_SKIP_PROMPT_HISTORY is on in its env")
                .remedy(Remedy::advice("take it out of the settings")),
        );
    }
    let Some(name) = session.saves_nothing else {
        return Verdict::Pass;
    };
    Verdict::Found(
        Evidence::new(format!("{name} is on: new turns are not saved")).remedy(Remedy::command(
            "resume without it",
            session.resume_command(&["env", "-u", name]),
            true,
        )),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                {
                    let mut session = Session::healthy();
                    session.saves_nothing = Some("CLAUDE_CODE_SKIP_PROMPT_HISTORY");
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
