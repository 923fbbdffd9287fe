//! The application around the client looks under another key of the same config directory.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};
use std::path::Path;

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.store.host_key_differs",
        severity: Severity::Warning,
        summary: "an application builds another key for the folder than the client",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The client resumes the session from one key, and the application looks for the log under another: the folder
is reached through a symlink, was renamed, differs in letter case, holds characters beyond the Basic
Multilingual Plane, or is longer than 200 characters.

## How it is recognised

The path that the application believes in (--host-log) differs from the log that the client finds, under the
same config directory.

## What still works

Resuming.

## What to do

Let the application ask the client instead of building the path.

## Reports

stablyai/orca#9361, getpaseo 3539.
";

fn run(session: &Session) -> Verdict {
    let (Some(host), Some((_, found))) = (&session.host_log, &session.found) else {
        return Verdict::Pass;
    };
    let config = |path: &Path| path.ancestors().nth(3).map(Path::to_owned);
    if host == found || config(host) != config(found) {
        return Verdict::Pass;
    }
    Verdict::Found(
        Evidence::new("the application looks under another key than the client")
            .file(host, "where the application looks")
            .file(found, "where the client finds the log")
            .remedy(Remedy::advice(
                "let the application ask the client instead of building the path",
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
                    session.host_log = Some("/home/u/.claude/projects/-w-other/x.jsonl".into());
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
