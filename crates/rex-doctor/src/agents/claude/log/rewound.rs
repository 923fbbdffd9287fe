//! A rewind.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.rewound",
        severity: Severity::Info,
        summary: "the conversation was rewound, and the rows after that point are kept and not loaded",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

Somebody went back to an earlier message. The rows after it stay in the log and are not loaded: that is on
purpose.

## How it is recognised

Rows hang on the conversation that is loaded, or on its last row, and were written before what follows.

## What still works

Everything after the rewind.

## What to do

Nothing is needed.

## Reports

None.
";

fn run(session: &Session) -> Verdict {
    let (Some(view), Some(path)) = (session.view(), session.log_path()) else {
        return Verdict::Pass;
    };
    let Some(offset) = view.anatomy.rewound else {
        return Verdict::Pass;
    };
    Verdict::Found(
        Evidence::new(format!(
            "the conversation was rewound; what is at byte {offset} is kept and not loaded"
        ))
        .at(path, offset, "before the rewind"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                Session::healthy().with_view(|view| view.anatomy.rewound = Some(9)),
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
