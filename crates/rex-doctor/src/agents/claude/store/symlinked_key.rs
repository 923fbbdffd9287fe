//! The only copy is under another key, and that key is a symlink.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.store.symlinked_key",
        severity: Severity::Error,
        summary: "the only log lies under another key whose folder is a symlink",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

Looking through all keys passes over folders that are symlinks, while the folder's own key may be one. The
log is there and is not found.

## How it is recognised

The lookup ends without a log, and every log of that id lies under a symlinked key that is not the folder's
own.

## What still works

Giving the path of the log.

## What to do

Give the path of the log, or put the folder itself in the symlink's place.

## Reports

anthropics/claude-code#59393, #46342, #60965.
";

fn run(session: &Session) -> Verdict {
    if session.resumes() || !session.rules.scans || session.copies.iter().any(|copy| !copy.key_is_link) {
        return Verdict::Pass;
    }
    let Some(copy) = session.copies.iter().find(|copy| copy.is_file()) else {
        return Verdict::Pass;
    };
    let path = copy.path.display().to_string();
    Verdict::Found(
        Evidence::new(format!(
            "the log lies under the symlinked key {}, which the client passes over",
            copy.key
        ))
        .file(&copy.path, "the log")
        .remedy(Remedy::command(
            "give the path of the log",
            ["claude", "--resume", &path],
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
                    session.found = None;
                    for copy in &mut session.copies {
                        copy.key_is_link = true;
                    }
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
