//! The log is due for the sweep.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.cleanup_due",
        severity: Severity::Warning,
        summary: "the log is old enough to be deleted at the next start",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

At its start the client deletes logs whose time of change is older than cleanupPeriodDays (30 unless set). A
resume refreshes the time.

## How it is recognised

The log has not changed for the period, or will not have in three days.

## What still works

Resuming now.

## What to do

Raise cleanupPeriodDays in the user's settings, or resume the session.

## Reports

anthropics/claude-code#86730, #85466, #90866, #84279, #69652, #90371.
";

fn run(session: &Session) -> Verdict {
    let (Some(view), Some(path)) = (session.view(), session.log_path()) else {
        return Verdict::Pass;
    };
    let days = session.settings.cleanup_days.unwrap_or(30);
    let Some(age_days) = view
        .modified
        .map(|modified| (session.now.as_second() - modified.as_second()) / 86_400)
    else {
        return Verdict::Pass;
    };
    if age_days + 3 < days as i64 || !session.resumes() {
        return Verdict::Pass;
    }
    let text = path.display().to_string();
    Verdict::Found(
        Evidence::new(format!(
            "the log has not changed for {age_days} days, and {days} are kept"
        ))
        .file(path, "deleted at one of the next starts")
        .remedy(Remedy::command(
            "make it look new, or resume it, which does the same",
            ["touch", &text],
            true,
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
                Session::healthy().with_view(|view| view.modified = "2026-10-01T00:00:00Z".parse().ok()),
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
