//! A row whose message is missing.

use crate::agents::claude::graph::Generation;
use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.malformed_row",
        severity: Severity::Error,
        summary: "a row has no message",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

2.1.197 refuses the whole session because of one such row: a line that holds null, a reply whose message is
null, or a prompt without a message. Newer clients leave the row out and link its children to its parent.

## How it is recognised

A line holds null, or a row of the conversation has no message that could be sent.

## What still works

All other rows in newer clients.

## What to do

Use a newer client, or take the row out on a copy of the log and link its children to its parent.

## Reports

None; seen on 2.1.197 and 2.1.332.
";

fn run(session: &Session) -> Verdict {
    let (Some(view), Some(path)) = (session.view(), session.log_path()) else {
        return Verdict::Pass;
    };
    let is_middle = session.rules.generation == Generation::Middle;
    let offset = match (
        view.null_line.filter(|_| is_middle),
        view.anatomy.malformed.first(),
    ) {
        (Some(offset), _) => offset,
        (None, Some(offset)) if is_middle || !view.anatomy.empty_prompts.contains(offset) => *offset,
        (None, _) => return Verdict::Pass,
    };
    let stops = is_middle && session.failure.is_some();
    let what = if stops {
        "this client refuses the whole session"
    } else {
        "the row is not loaded"
    };
    Verdict::Found(
        Evidence::new(format!("the row at byte {offset} has no message: {what}"))
            .at(path, offset, "no message")
            .severity(if stops { Severity::Error } else { Severity::Warning })
            .remedy(Remedy {
                text: "use a newer client, or take the row out on a copy of the log".to_owned(),
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
                Session::healthy().with_view(|view| view.anatomy.malformed.push(9)),
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
