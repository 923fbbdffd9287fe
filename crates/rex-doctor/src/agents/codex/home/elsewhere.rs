//! This home has nothing of the session, another home has it.

use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.home.elsewhere",
        severity: Severity::Error,
        summary: "this home has nothing of the session, another home has it",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client looks in one home only: `CODEX_HOME`, else `~/.codex`. The session lies in another one.

## How it is recognised

Neither row nor log of the session is in the effective home, and a file with its id in the name lies in
another home on this disk.

## What still works

The session resumes in full from the home that has it.

## What to do

Start the client with `CODEX_HOME` set to that home.

## Reports

openai/codex issues #25741. repoprompt/repoprompt-ce #618.
";

fn run(session: &Session) -> Verdict {
    let Some(found) = session.elsewhere.as_ref().filter(|_| session.row().is_none()) else {
        return Verdict::Pass;
    };
    let id = session.thread().unwrap_or(&session.argument);
    let home = format!("CODEX_HOME={}", found.home.display());
    let evidence = Evidence::new(format!(
        "the session lies in {}, not in {}",
        found.home.display(),
        session.home.path.display()
    ));
    Verdict::Found(evidence.file(&found.log, "its log").remedy(Remedy::command(
        "start the client in the home that has it",
        ["env", &home, "codex", "exec", remedy::SKIP, "resume", id, "go on"],
        true,
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::home::Elsewhere;
    use crate::agents::codex::sample::{self, Answer};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "another home has it",
                    |session| {
                        sample::state(session, |state| state.row = None);
                        session.log = None;
                        session.elsewhere = Some(Elsewhere {
                            home: "/o".into(),
                            log: "/o/x.jsonl".into(),
                        });
                    },
                    Answer::Found,
                ),
                (
                    "nobody has it",
                    |session| {
                        sample::state(session, |state| state.row = None);
                        session.log = None;
                    },
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
