//! A compaction.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.compacted",
        severity: Severity::Info,
        summary: "the conversation was compacted: its summary is loaded in place of the rows before",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

When a conversation grows too long the client writes a summary and goes on from it. The rows before stay in
the log and are not loaded: that is on purpose.

## How it is recognised

The part that is loaded begins with the boundary of a compaction.

## What still works

Everything after it, and the summary.

## What to do

Nothing is needed.

## Reports

None.
";

fn run(session: &Session) -> Verdict {
    let (Some(view), Some(path)) = (session.view(), session.log_path()) else {
        return Verdict::Pass;
    };
    let Some(offset) = view.anatomy.compaction else {
        return Verdict::Pass;
    };
    Verdict::Found(
        Evidence::new(format!("the conversation was compacted at byte {offset}; its summary is loaded in place of the rows before"))
            .at(path, offset, "the boundary"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                Session::healthy().with_view(|view| view.anatomy.compaction = Some(9)),
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
