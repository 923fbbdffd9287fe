//! A loop of parents.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.parent_loop",
        severity: Severity::Warning,
        summary: "the parents of a row lead back to it",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

Newer clients end their walk at a row that comes twice and bridge by time; 2.0.14 walks for ever. The SDK
finds no last row and gives back nothing.

## How it is recognised

A row is its own ancestor.

## What still works

Resuming with 2.1 clients.

## What to do

Use a client from 2.1 on, or link the row anew on a copy of the log.

## Reports

anthropics/claude-code, changelog 2.1.30.
";

fn run(session: &Session) -> Verdict {
    let (Some(view), Some(path)) = (session.view(), session.log_path()) else {
        return Verdict::Pass;
    };
    let Some(offset) = view.anatomy.parent_loop else {
        return Verdict::Pass;
    };
    Verdict::Found(
        Evidence::new(format!("the parents of the row at byte {offset} lead back to it"))
            .at(path, offset, "its own ancestor")
            .remedy(Remedy {
                text: "use a client from 2.1 on: older ones hang".to_owned(),
                command: None,
                tested: true,
            }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                Session::healthy().with_view(|view| view.anatomy.parent_loop = Some(9)),
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
