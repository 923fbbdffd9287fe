//! An id of another kind.

use crate::agents::claude::client::Meaning;
use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.argument.foreign_id",
        severity: Severity::Error,
        summary: "the id is one of the desktop application or of a subagent",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

Ids that begin with local_ belong to the desktop application's own index, and agent- to subagents. Neither
is the id of a session.

## How it is recognised

The argument begins so.

## What still works

The session, by its own id.

## What to do

Give the session's UUID.

## Reports

anthropics/claude-code#91268.
";

fn run(session: &Session) -> Verdict {
    let what = match &session.meaning {
        Meaning::Title(title) if title.starts_with("local_") => "the desktop application's",
        Meaning::Title(title) if title.starts_with("agent-") => "a subagent's",
        Meaning::Title(_) | Meaning::Id(_) | Meaning::Path(_) | Meaning::Address => return Verdict::Pass,
    };
    Verdict::Found(
        Evidence::new(format!("{} is {what} id, not a session's", session.argument))
            .remedy(Remedy::advice("give the session's UUID")),
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
                    session.meaning = Meaning::Title("local_1".to_owned());
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
