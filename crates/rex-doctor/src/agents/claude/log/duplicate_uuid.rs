//! Two rows share a uuid.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.duplicate_uuid",
        severity: Severity::Error,
        summary: "one uuid stands for two rows with different contents",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

Of two rows with the same uuid the client keeps the later, in the place of the earlier. What the earlier one
said is not loaded.

## How it is recognised

A later row has the uuid of an earlier one and is not the same line.

## What still works

All other rows.

## What to do

Take the wrong one of the two lines out, on a copy of the log.

## Reports

anthropics/claude-code#22178, #66454.
";

fn run(session: &Session) -> Verdict {
    let (Some(view), Some(path)) = (session.view(), session.log_path()) else {
        return Verdict::Pass;
    };
    let Some((first, second)) = view.anatomy.duplicates.first() else {
        return Verdict::Pass;
    };
    Verdict::Found(
        Evidence::new(format!(
            "the row at byte {second} takes the place of the one at byte {first}: they have one uuid"
        ))
        .at(path, *first, "replaced")
        .at(path, *second, "loaded in its place")
        .remedy(Remedy::advice(
            "take the wrong one of the two lines out, on a copy of the log",
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
                Session::healthy().with_view(|view| view.anatomy.duplicates.push((3, 9))),
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
