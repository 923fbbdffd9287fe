//! Client and SDK disagree.

use crate::agents::claude::client::Meaning;
use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};
use crate::forecast::Outcome;

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.client.sdk_differs",
        severity: Severity::Warning,
        summary: "the SDK's own functions answer otherwise than the client",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The SDK's stand-alone functions read the logs by rules of their own: no scan, no bridging by time, code
points instead of UTF-16 units, strict UTF-8. What they say is not what the client will do.

## How it is recognised

For an id, the forecast of get_session_messages succeeds where the client refuses, or fails where it resumes.

## What still works

The client's own answer.

## What to do

Trust the client's answer.

## Reports

anthropics/claude-agent-sdk-python#631.
";

fn run(session: &Session) -> Verdict {
    let (Some(client), Some(sdk)) = (session.forecast("resume"), session.forecast("sdk")) else {
        return Verdict::Pass;
    };
    if !matches!(session.meaning, Meaning::Id(_)) {
        // The SDK takes nothing but ids.
        return Verdict::Pass;
    }
    let client_does = client.outcome == Outcome::Resumes;
    let sdk_does = sdk.outcome == Outcome::Resumes;
    if client_does == sdk_does || client.outcome == Outcome::Unknown {
        return Verdict::Pass;
    }
    let what = if client_does {
        "the client resumes and the SDK finds no messages"
    } else {
        "the SDK finds messages and the client does not resume"
    };
    Verdict::Found(Evidence::new(what.to_owned()))
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
                    session.forecasts.push(Forecast::refuses("sdk", None));
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
