//! Rows without uuids.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.rows_without_uuid",
        severity: Severity::Error,
        summary: "rows of the conversation have no uuid",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

Rows are linked by their uuids. Without them the client resumes with exit status 0 and has forgotten
everything; importers that wrote the log are the usual cause.

## How it is recognised

A row of the main conversation has no uuid that is a text.

## What still works

Rows that have one.

## What to do

Write uuids and links into a copy of the log, or replay the conversation.

## Reports

heiervang-technologies/unleash#418.
";

fn run(session: &Session) -> Verdict {
    let (Some(view), Some(path)) = (session.view(), session.log_path()) else {
        return Verdict::Pass;
    };
    let count = view.anatomy.rows_without_uuid;
    if count == 0 {
        return Verdict::Pass;
    }
    Verdict::Found(
        Evidence::new(format!("{count} rows have no uuid and cannot be linked"))
            .file(path, "rows without a uuid")
            .remedy(Remedy::advice(
                "write uuids and links into a copy of the log, or replay the conversation",
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
                Session::healthy().with_view(|view| view.anatomy.rows_without_uuid = 3),
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
