//! A large log.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.large",
        severity: Severity::Warning,
        summary: "the log is very large",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

Clients read the whole log at each resume. A log of 60 MB and a line of 30 MB still resume in newer ones;
there are reports of crashes with gigabytes.

## How it is recognised

The log is larger than 50 MB, or one line is longer than 30 MB.

## What still works

Resuming, slowly.

## What to do

Expect slowness; compact the conversation, or go on in a fork.

## Reports

anthropics/claude-code#22365, #21179, #24118, #23373, #24457, #22040.
";

const LARGE_BYTES: u64 = 50 * 1000 * 1000;
const LONG_LINE_BYTES: u64 = 30 * 1000 * 1000;

fn run(session: &Session) -> Verdict {
    let (Some(view), Some(path)) = (session.view(), session.log_path()) else {
        return Verdict::Pass;
    };
    if view.bytes <= LARGE_BYTES && view.longest_line_bytes <= LONG_LINE_BYTES {
        return Verdict::Pass;
    }
    Verdict::Found(
        Evidence::new(format!(
            "the log has {} bytes, its longest line {}",
            view.bytes, view.longest_line_bytes
        ))
        .file(path, "large")
        .remedy(Remedy::advice(
            "expect slowness; compact the conversation, or go on in a fork",
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
                Session::healthy().with_view(|view| view.bytes = 60_000_000),
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
