//! A settings file is not valid.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.home.settings_invalid",
        severity: Severity::Warning,
        summary: "a settings file does not load",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The client ignores such a file as a whole and says so: its hooks, its permissions and its cleanupPeriodDays
are not in effect. Sessions still resume.

## How it is recognised

A settings file of the user, of the project or of the machine does not parse, is no object, or has a
cleanupPeriodDays below 1.

## What still works

Resuming.

## What to do

Correct the file. A cleanupPeriodDays of 0 is refused since 2.1.89; before, it silently kept the client from
saving anything.

## Reports

anthropics/claude-code#18311.
";

fn run(session: &Session) -> Verdict {
    let Some((path, why)) = session.settings.faults.first() else {
        return Verdict::Pass;
    };
    let mut evidence = Evidence::new(format!(
        "{} does not load, and the client ignores all of it",
        path.display()
    ));
    for (path, why) in &session.settings.faults {
        evidence = evidence.file(path, why);
    }
    Verdict::Found(evidence.remedy(Remedy::advice(&format!("correct {}: {why}", path.display()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                {
                    let mut session = Session::healthy();
                    session
                        .settings
                        .faults
                        .push(("/s.json".into(), "it is no object".to_owned()));
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
