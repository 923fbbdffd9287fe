//! Unmatched tool calls.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.open_tool_pair",
        severity: Severity::Info,
        summary: "a tool call has no answer, or an answer no call",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

Clients before 2.1.86 sent such pairs as they were and got an error of the API. Newer ones make up an answer
for the last call and leave the others out.

## How it is recognised

The id of a call is answered by no row, or an answer names a call that is in no row.

## What still works

Resuming from 2.1.86 on.

## What to do

Use a newer client.

## Reports

anthropics/claude-code#1237, #5705, #473, #45286; anthropics/claude-agent-sdk-python#631.
";

fn run(session: &Session) -> Verdict {
    let (Some(view), Some(path)) = (session.view(), session.log_path()) else {
        return Verdict::Pass;
    };
    let Some(offset) = view.anatomy.open_tools.first() else {
        return Verdict::Pass;
    };
    Verdict::Found(
        Evidence::new(format!(
            "{} tool calls or answers stand alone",
            view.anatomy.open_tools.len()
        ))
        .at(path, *offset, "without its other half")
        .remedy(Remedy {
            text: "use a client from 2.1.86 on".to_owned(),
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
                Session::healthy().with_view(|view| view.anatomy.open_tools.push(9)),
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
