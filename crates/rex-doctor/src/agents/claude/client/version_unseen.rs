//! The client's version was not seen.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};
use crate::forecast::Outcome;

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.client.version_unseen",
        severity: Severity::Warning,
        summary: "this version lies between two whose rules differ",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The rules of lookup and loading were seen on some versions. This one lies between two that differ on exactly
this session, so what it will do is not known.

## How it is recognised

The forecasts under the rules of the seen version below and of the one above are not the same.

## What still works

Not known.

## What to do

Ask with --client-version for a version that was seen, or use a newer client.

## Reports

None.
";

fn run(session: &Session) -> Verdict {
    let is_unknown = session
        .forecasts
        .iter()
        .any(|forecast| forecast.outcome == Outcome::Unknown);
    if !session.is_between_versions || !is_unknown {
        return Verdict::Pass;
    }
    Verdict::Found(Evidence::new(format!(
        "{} lies between two versions whose rules differ here",
        session.version
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::Forecast;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                {
                    let mut session = Session::healthy();
                    session.is_between_versions = true;
                    session.forecasts = vec![Forecast::unknown("resume")];
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
