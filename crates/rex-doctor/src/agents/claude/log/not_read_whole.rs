//! The doctor did not read all of the log.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.not_read_whole",
        severity: Severity::Warning,
        summary: "the log was not read to its end",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The log changed while it was read, could not be read on, or has more rows than the doctor keeps. What would
become of it is not known.

## How it is recognised

Reading ended before the end of the file.

## What still works

Not known.

## What to do

Ask again when nobody writes to the log.

## Reports

None.
";

fn run(session: &Session) -> Verdict {
    let (Some(view), Some(path)) = (session.view(), session.log_path()) else {
        return Verdict::Pass;
    };
    let Some(why) = &view.cut else {
        return Verdict::Pass;
    };
    Verdict::Found(
        Evidence::new(format!("the log was not read to its end: {why}")).file(path, &why.to_string()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Why;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                Session::healthy().with_view(|view| view.cut = Some(Why::Changed)),
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
