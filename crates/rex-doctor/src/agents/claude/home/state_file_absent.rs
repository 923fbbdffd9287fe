//! The state file .claude.json is not there.

use crate::agents::claude::home::StateFile;
use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.home.state_file_absent",
        severity: Severity::Info,
        summary: "the client's state file is missing",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The client starts with defaults and may print a warning; sessions are not touched by it.

## How it is recognised

There is no state file where the client looks for one, and the session has a log.

## What still works

Everything.

## What to do

Nothing is needed. A copy in backups can be restored.

## Reports

None; seen on 2.1.332 and 2.1.197.
";

fn run(session: &Session) -> Verdict {
    if session.state != StateFile::Absent || !session.has_log() {
        return Verdict::Pass;
    }
    Verdict::Found(Evidence::new(format!(
        "{} is missing; the client only warns",
        session.state_path.display()
    )))
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
                    session.state = StateFile::Absent;
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
