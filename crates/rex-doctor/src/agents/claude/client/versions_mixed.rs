//! Mixed versions.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.client.versions_mixed",
        severity: Severity::Info,
        summary: "the log was written by several versions of the client",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

Rows of different versions stand in one log. The client never compares versions; it is of interest where a
row of one version stops another.

## How it is recognised

The rows name a version other than the client's.

## What still works

Everything.

## What to do

Nothing is needed.

## Reports

anthropics/claude-code#13229, #13293, #42681, #53094.
";

fn run(session: &Session) -> Verdict {
    let Some(view) = session.view() else {
        return Verdict::Pass;
    };
    let own = session.version.to_string();
    if view.facts.versions.iter().all(|version| *version == own) {
        return Verdict::Pass;
    }
    Verdict::Found(Evidence::new(format!(
        "rows of {} are in the log, the client is {own}",
        view.facts.versions.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                Session::healthy().with_view(|view| view.facts.versions.push("2.0.14".to_owned())),
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
