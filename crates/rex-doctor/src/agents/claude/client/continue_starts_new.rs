//! --continue picks another session, or begins a new one.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};
use crate::forecast::Outcome;

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.client.continue_starts_new",
        severity: Severity::Warning,
        summary: "--continue does not come back to this session",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

claude --continue takes the newest session of the folder it is started in, and silently begins a new one
with exit status 0 where there is none. It does not come back to the session that was asked about.

## How it is recognised

The forecast for --continue begins a new session or goes on with another one, while the session itself can
be resumed.

## What still works

Resuming by id.

## What to do

Resume by id.

## Reports

vercel/ai PR#19102, maddada/Ghostex PR#150.
";

fn run(session: &Session) -> Verdict {
    let is_refused = session
        .forecast("resume")
        .is_some_and(|forecast| forecast.outcome == Outcome::Refuses);
    if !session.resumes() || is_refused || !session.has_outcome("continue", Outcome::StartsNew) {
        return Verdict::Pass;
    }
    Verdict::Found(
        Evidence::new(format!(
            "--continue in {} does not come back to this session",
            session.folder
        ))
        .remedy(Remedy::command("resume by id", session.resume_command(&[]), true)),
    )
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
                    session.forecasts.push(Forecast::starts_new("continue"));
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
