//! Lines that are no JSON value.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};
use crate::version::ClientVersion;
use rex_store::jsonl::Fault;

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.bad_lines",
        severity: Severity::Warning,
        summary: "lines of the log are torn, hold NUL bytes or run into each other",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

A line that does not parse is passed over since 2.1.121; its message is lost, and where the parts around it
are more than 5 seconds apart so is everything before. Two values on one line are both read by newer clients
and lost in 2.0.14.

## How it is recognised

A line is no JSON value, or more than one.

## What still works

The other lines.

## What to do

Use a newer client; the remains of a torn line can be taken out on a copy of the log.

## Reports

anthropics/claude-code#52387, #50347, #49876, #76059, #53821, #20992.
";

/// The first client that reads on behind a line that it cannot read.
const PASSES_OVER_FROM: &str = "2.1.121";

fn run(session: &Session) -> Verdict {
    let (Some(view), Some(path)) = (session.view(), session.log_path()) else {
        return Verdict::Pass;
    };
    let Some(first) = view.faults.first() else {
        return Verdict::Pass;
    };
    let summary = match view.fault_count {
        1 => format!("1 line does not read, at byte {}", first.offset_bytes),
        count => format!(
            "{count} lines do not read; the first is at byte {}",
            first.offset_bytes
        ),
    };
    let mut evidence = Evidence::new(summary);
    for torn in view.faults.iter().take(10) {
        let what = match torn.fault {
            Fault::Torn => "torn",
            Fault::Nul(_) => "NUL bytes",
            Fault::Trailing(_) => "more than one value",
            Fault::TooLong | Fault::TooDeep => "too long or too deep to read",
            Fault::BadUtf8(_) => "not UTF-8",
            Fault::Blank | Fault::Syntax(_) | Fault::Shape | Fault::Unreadable => "not JSON",
        };
        evidence = evidence.at(path, torn.offset_bytes, what);
    }
    let passes_over = ClientVersion::parse(PASSES_OVER_FROM).is_some_and(|from| session.version >= from);
    Verdict::Found(evidence.remedy(if passes_over {
        Remedy::advice("this client passes over such lines; what they held is only in a backup of the log")
    } else {
        Remedy {
            text: format!("use a client from {PASSES_OVER_FROM} on, which passes over such lines"),
            command: None,
            tested: true,
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::claude::torn::Torn;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                Session::healthy().with_view(|view| {
                    view.fault_count = 1;
                    view.faults.push(Torn::unseen(9, 20, Fault::Torn));
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
