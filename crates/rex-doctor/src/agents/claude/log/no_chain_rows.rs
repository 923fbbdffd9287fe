//! The log has nothing to resume from.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.no_chain_rows",
        severity: Severity::Error,
        summary: "the log holds no row of the main conversation",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The file is there and holds nothing that the client could go on from: it is empty or blank, all NUL bytes,
in UTF-16, or has only metadata, a title, snapshots or a side chain. The client says that no conversation
was found.

## How it is recognised

The log is read and the client's load comes to nothing.

## What still works

What the lines say can still be read by a person; 2.0.14 resumes a log with side chains only.

## What to do

Replay what is known of the conversation into a new session; restore a backup of the file if there is one.

## Reports

anthropics/claude-code#62851, #7004, #41946; manaflow-ai/cmux#6565.
";

fn run(session: &Session) -> Verdict {
    let Some(view) = session
        .view()
        .filter(|view| !view.is_loadable && session.failure.is_none())
    else {
        return Verdict::Pass;
    };
    if session.resumes() {
        return Verdict::Pass;
    }
    let what = match view {
        view if view.bytes == 0 => "it has 0 bytes",
        view if view.starts_with.iter().all(|byte| *byte == 0) && !view.starts_with.is_empty() => {
            "it is NUL bytes"
        }
        view if view.starts_with.starts_with(&[0xff, 0xfe])
            || view.starts_with.starts_with(&[0xfe, 0xff]) =>
        {
            "it is in UTF-16"
        }
        view if view.side_talk_rows > 0 && view.talk_rows == 0 => "it has only a side chain",
        view if view.other_rows > 0 => "it has only metadata",
        view if view.fault_count > 0 => "no line of it reads",
        _ => "it is blank",
    };
    let path = session.log_path();
    let mut evidence = Evidence::new(format!("the log holds no row of the main conversation: {what}"));
    if let Some(path) = path {
        evidence = evidence.file(path, what);
    }
    Verdict::Found(evidence.remedy(Remedy::advice(
        "replay what is known of the conversation into a new session",
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                {
                    let mut session = Session::healthy().with_view(|view| view.is_loadable = false);
                    session.found = None;
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
