//! The log is under another project key and is found by the scan.

use crate::agents::claude::client::lookup::Via;
use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.store.by_scan_only",
        severity: Severity::Warning,
        summary: "the client finds the log only by looking through all keys",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

From 2.1.223 on an id is looked for under every key. That alone finds this log: --continue, the list of
sessions and every call of the SDK that names the folder stay with the folder's own key and do not see it.

## How it is recognised

The lookup by id succeeds only in its last step.

## What still works

Resuming by id; the session goes on in the old file.

## What to do

Start in the recorded folder, or move the log to the key of the present one.

## Reports

anthropics/claude-code#86713, #83146, #58475.
";

fn run(session: &Session) -> Verdict {
    let Some((Via::Scan, path)) = &session.found else {
        return Verdict::Pass;
    };
    let mut evidence = Evidence::new(format!(
        "only --resume with the id finds the log; --continue, the list and the SDK look under the key of {}",
        session.folder
    ))
    .file(path, "the log");
    if let Some(cwd) = session
        .view()
        .and_then(|view| view.facts.cwd.as_deref())
        .filter(|cwd| *cwd != session.folder)
    {
        evidence = evidence.remedy(Remedy::command(
            "start in the recorded folder, if it is still there",
            session.resume_command(&["env", "-C", cwd]),
            true,
        ));
    }
    if let Some(own) = &session.computed {
        let (path, own) = (path.display().to_string(), own.display().to_string());
        evidence = evidence.remedy(Remedy::command(
            "or copy the log to this folder's key",
            ["install", "-D", "-m", "600", &path, &own],
            true,
        ));
    }
    Verdict::Found(evidence)
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
                    session.found = session.found.map(|(_, path)| (Via::Scan, path));
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
