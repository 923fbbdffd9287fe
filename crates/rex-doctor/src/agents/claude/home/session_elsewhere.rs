//! The log is in another config directory than the one the environment selects.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.home.session_elsewhere",
        severity: Severity::Error,
        summary: "the log lies under a config directory that the client does not use",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The conversation is whole, in another config directory. The client looks only in the one that
CLAUDE_CONFIG_DIR names, or in ~/.claude without it, and says that no conversation was found.

## How it is recognised

No log of that id is in the effective config directory, and one is in another that was found on the disk.

## What still works

The log itself; every command that is given the other config directory.

## What to do

Set CLAUDE_CONFIG_DIR to the directory that holds the log, in the shell and in every application that starts
the client; or copy the log into the right one, which is accepted without question.

## Reports

anthropics/claude-code#16103, #27978, #80320.
";

fn run(session: &Session) -> Verdict {
    let Some(copy) = session.elsewhere.iter().find(|copy| copy.is_file()) else {
        return Verdict::Pass;
    };
    if session.resumes() || !session.copies.is_empty() {
        return Verdict::Pass;
    }
    let variable = format!("CLAUDE_CONFIG_DIR={}", copy.config.display());
    let evidence = Evidence::new(format!(
        "the log lies under {}, and the client looks in {} ({})",
        copy.config.display(),
        session.config.path.display(),
        session.config.from()
    ))
    .file(&copy.path, "the log");
    let mut evidence = evidence.remedy(if session.config.is_moved() {
        Remedy::advice("take CLAUDE_CONFIG_DIR out of the env of the settings")
    } else {
        Remedy::command(
            "resume with the config directory that holds it",
            session.resume_command(&["env", &variable]),
            true,
        )
    });
    if let Some(target) = &session.computed {
        let (from, to) = (copy.path.display().to_string(), target.display().to_string());
        evidence = evidence.remedy(Remedy::command(
            "or copy the log to where the client looks",
            ["install", "-D", "-m", "600", &from, &to],
            true,
        ));
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
                    session.elsewhere = vec![Copy::file(Path::new(
                        "/home/u/.claude-work/projects/-w-app/x.jsonl",
                    ))];
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
