//! Two branches with overlapping times.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.two_branches",
        severity: Severity::Warning,
        summary: "two writers went on from the same row",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

Two clients resumed the session at once, and each went on from the same row. Only the branch of the last row
is loaded; the other one stays in the file.

## How it is recognised

Two rows go on from one parent, and the branch that is not loaded was still written when the other had
begun.

## What still works

The branch that is loaded.

## What to do

Replay what matters of the other branch; use --fork-session for parallel work.

## Reports

anthropics/claude-code#39151, #37737, #80427, #30802.
";

fn run(session: &Session) -> Verdict {
    let (Some(view), Some(path)) = (session.view(), session.log_path()) else {
        return Verdict::Pass;
    };
    let Some((beside, loaded)) = view.anatomy.branches else {
        return Verdict::Pass;
    };
    Verdict::Found(
        Evidence::new(format!(
            "two writers went on from one row: the branch at byte {beside} is not loaded"
        ))
        .at(path, beside, "on the branch that is not loaded")
        .at(path, loaded, "on the branch that is loaded")
        .remedy(Remedy::advice("replay what matters of the other branch")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                Session::healthy().with_view(|view| view.anatomy.branches = Some((9, 5))),
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
