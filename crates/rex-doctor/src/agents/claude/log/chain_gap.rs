//! A broken link of parents.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.chain_gap",
        severity: Severity::Error,
        summary: "a link to a parent is broken, and nothing near enough in time bridges it",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

Each row names the row before it. Where that row is gone, newer clients go on with the latest row of the
same side that is at most 5 seconds older; 2.0.14 and the SDK do not. Here nothing is near enough, and
everything before the break is not loaded, without a word.

## How it is recognised

The walk from the last row ends at a row whose parent is not in the log.

## What still works

The part after the break.

## What to do

Link the row to the last one before the break, on a copy of the log; or replay the earlier part.

## Reports

anthropics/claude-code#24304, #22526, #22107, #58554, #46603, #43044.
";

fn run(session: &Session) -> Verdict {
    let (Some(view), Some(path)) = (session.view(), session.log_path()) else {
        return Verdict::Pass;
    };
    let Some(broken) = view.anatomy.breaks.iter().find(|found| !found.is_bridged) else {
        return Verdict::Pass;
    };
    let gap = broken
        .gap_ms
        .map_or("nothing before it has a time".to_owned(), |gap| {
            format!("the nearest row before it is {gap} ms older")
        });
    Verdict::Found(
        Evidence::new(format!(
            "a link is broken at byte {}: {} of {} messages are loaded",
            broken.offset_bytes, view.counts.loaded, view.counts.recorded
        ))
        .at(
            path,
            broken.offset_bytes,
            &format!("its parent is not in the log, and {gap}"),
        )
        .remedy(Remedy::advice(
            "link the row to the last one before it, on a copy of the log, or replay the earlier part",
        )),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::claude::anatomy::Break;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                Session::healthy().with_view(|view| {
                    view.anatomy.breaks.push(Break {
                        offset_bytes: 9,
                        gap_ms: Some(9000),
                        is_bridged: false,
                    });
                }),
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
