//! A prompt whose message is missing.

use crate::agents::claude::graph::Generation;
use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.prompt_without_text",
        severity: Severity::Warning,
        summary: "a prompt has no text",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The row of the prompt is there and its message is not: the turn is not in what newer clients load.

## How it is recognised

A row of the person has no message with a text or a list in it.

## What still works

All other rows.

## What to do

Replay that turn.

## Reports

None; seen on 2.1.332.
";

fn run(session: &Session) -> Verdict {
    let (Some(view), Some(path)) = (session.view(), session.log_path()) else {
        return Verdict::Pass;
    };
    let Some(offset) = view
        .anatomy
        .empty_prompts
        .first()
        .filter(|_| session.rules.generation != Generation::Middle)
    else {
        return Verdict::Pass;
    };
    Verdict::Found(
        Evidence::new(format!(
            "the prompt at byte {offset} has no text and is not loaded"
        ))
        .at(path, *offset, "no message")
        .remedy(Remedy::advice("replay that turn")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                Session::healthy().with_view(|view| view.anatomy.empty_prompts.push(9)),
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
