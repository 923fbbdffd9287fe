//! The disk of the config directory is full.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.home.no_space",
        severity: Severity::Error,
        summary: "no space is left for the config directory",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The client answers, and cannot save the turn: newer versions end with an error after the answer, older ones
say nothing. A torn last line may stay behind.

## How it is recognised

The file system of the config directory has no block left for this user. Not asked of another machine's
disk.

## What still works

Reading and answering.

## What to do

Free space before the next run, then look at the end of the log.

## Reports

anthropics/claude-code#69734, #16720.
";

fn run(session: &Session) -> Verdict {
    if session.free_bytes != Some(0) {
        return Verdict::Pass;
    }
    Verdict::Found(
        Evidence::new(format!(
            "no space is left on the disk that holds {}",
            session.config.path.display()
        ))
        .remedy(Remedy::advice("free space before the next run")),
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
                    session.free_bytes = Some(0);
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
