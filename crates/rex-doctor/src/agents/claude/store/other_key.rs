//! The log is under another project key, and the client does not look through all keys.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.store.other_key",
        severity: Severity::Error,
        summary: "the log lies under the key of another folder, and this client looks only under its own",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

Before 2.1.223 the client looks for an id only under the key of the folder it is started in and of the
repository's worktrees. The log is whole, under another key: the client was started in another folder, the
folder was renamed, or the file was moved.

## How it is recognised

The version looks through no other keys, the lookup ends without a log, and a log of that id lies under
another key.

## What still works

Giving the path of the log; starting in the folder that the log records; a newer client.

## What to do

Start in the recorded folder, or give the path of the log, or move the log to the key of the present folder.

## Reports

anthropics/claude-code#5768, #27883, #58591, #70291, #37954, #12680.
";

fn run(session: &Session) -> Verdict {
    if session.resumes() || session.rules.scans {
        return Verdict::Pass;
    }
    let own = session.computed.as_ref();
    let other = session
        .copies
        .iter()
        .find(|copy| copy.is_file() && Some(&copy.path) != own);
    let is_own_there = session.copies.iter().any(|copy| Some(&copy.path) == own);
    let Some(copy) = other.filter(|_| !is_own_there && session.is_asked_by_id()) else {
        return Verdict::Pass;
    };
    let path = copy.path.display().to_string();
    let mut evidence = Evidence::new(format!(
        "the log lies under the key {}, and claude {} looks only under the key of {}",
        copy.key, session.version, session.folder
    ))
    .file(&copy.path, "the log")
    .remedy(Remedy::command(
        "give the path of the log",
        ["claude", "--resume", &path],
        true,
    ));
    if let Some(cwd) = session
        .view()
        .and_then(|view| view.facts.cwd.as_deref())
        .filter(|cwd| *cwd != session.folder)
    {
        let command = session.resume_command(&["env", "-C", cwd]);
        evidence = evidence.remedy(Remedy::command(
            "or start in the recorded folder, if it is still there",
            command,
            true,
        ));
    }
    if let Some(own) = own {
        let own = own.display().to_string();
        let remedy = Remedy::command(
            "or copy the log to this folder's key",
            ["install", "-D", "-m", "600", &path, &own],
            true,
        );
        evidence = evidence.remedy(remedy);
    }
    Verdict::Found(evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::claude::store::Copy;
    use std::path::Path;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                {
                    let mut session = Session::healthy().without_log();
                    session.copies = vec![Copy::file(Path::new("/home/u/.claude/projects/-other/x.jsonl"))];
                    session.rules.scans = false;
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
