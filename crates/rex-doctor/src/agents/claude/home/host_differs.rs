//! The application around the client builds the log's path from another config directory.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};
use std::path::Path;

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.home.host_differs",
        severity: Severity::Error,
        summary: "an application looks for the log under another config directory than the client",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The client has the session and resumes it, and the application that started it looks for the log under
another config directory, finds nothing there and believes the conversation lost.

## How it is recognised

The path that the application believes in (--host-log) does not exist, and lies under another config
directory than the log that the client finds.

## What still works

Resuming with the client itself.

## What to do

Pass the same CLAUDE_CONFIG_DIR to the application and to the client, or let the application ask the client
instead of building the path.

## Reports

anthropics/claude-agent-sdk-typescript and PostHog/code#1010 (the same environment must reach both).
";

fn run(session: &Session) -> Verdict {
    let (Some(host), Some((_, found))) = (&session.host_log, &session.found) else {
        return Verdict::Pass;
    };
    let config = |path: &Path| path.ancestors().nth(3).map(Path::to_owned);
    if host == found || config(host) == config(found) {
        return Verdict::Pass;
    }
    Verdict::Found(
        Evidence::new("the application looks under another config directory than the client")
            .file(host, "where the application looks")
            .file(found, "where the client finds the log")
            .remedy(Remedy::advice(
                "pass the same CLAUDE_CONFIG_DIR to the application and to the client",
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
                {
                    let mut session = Session::healthy();
                    session.host_log = Some("/home/u/.other/projects/-w-app/x.jsonl".into());
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
