//! A second root that is no compaction.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.extra_root",
        severity: Severity::Error,
        summary: "the conversation begins anew in the middle of the log",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

A row in the middle names no parent, as only the first row and a compaction do. The client starts from it
and does not load what lies before, without a word.

## How it is recognised

The walk from the last row ends at a row without a parent, rows of the conversation lie before it, and it is
no boundary of a compaction.

## What still works

The part after the row.

## What to do

Link the row to the last one before it, on a copy of the log; or replay the earlier part.

## Reports

anthropics/claude-code#24304, #34362.
";

fn run(session: &Session) -> Verdict {
    let (Some(view), Some(path)) = (session.view(), session.log_path()) else {
        return Verdict::Pass;
    };
    let Some(offset) = view.anatomy.extra_root else {
        return Verdict::Pass;
    };
    Verdict::Found(
        Evidence::new(format!(
            "the conversation begins anew at byte {offset}: {} of {} messages are loaded",
            view.counts.loaded, view.counts.recorded
        ))
        .at(path, offset, "it names no parent")
        .remedy(Remedy::advice(
            "link the row to the last one before it, on a copy of the log, or replay the earlier part",
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
                Session::healthy().with_view(|view| view.anatomy.extra_root = Some(9)),
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
