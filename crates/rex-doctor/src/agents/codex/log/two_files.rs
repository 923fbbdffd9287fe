//! Several files have the session's id.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.two_files",
        severity: Severity::Info,
        summary: "several files have the session's id",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The row decides which of them counts. After a revert that is how it should be. Without a row the client takes
the one that it comes upon first, which depends on the file system.

## How it is recognised

More than one file in the folders has the id in its name, a packed twin beside its plain file not counted.

## What still works

Resuming from the file that the row names.

## What to do

Nothing where there is a row. Else keep the file that is right and move the others away.

## Reports

openai/codex issues #41608, #45257, #44237.
";

fn run(session: &Session) -> Verdict {
    let Some(id) = session.thread() else {
        return Verdict::Pass;
    };
    let plain: Vec<_> = session.files.of(id).filter(|file| !file.is_compressed).collect();
    if plain.len() < 2 {
        return Verdict::Pass;
    }
    let evidence = Evidence::new(format!("{} files have the id {id} in their name", plain.len()));
    let evidence = plain.iter().fold(evidence, |evidence, file| {
        evidence.file(&file.path, "has the id in its name")
    });
    Verdict::Found(if session.twins.is_empty() {
        evidence
    } else {
        evidence
            .line("no row says which of them counts")
            .severity(Severity::Warning)
            .remedy(Remedy::advice(
                "keep the file that is right and move the others away",
            ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::log::Spot;
    use crate::agents::codex::sample::{self, Answer};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "two files",
                    |session| {
                        session
                            .files
                            .rollouts
                            .push(sample::file("/h/.codex/sessions/2020/01/02/x.jsonl", Spot::Dated));
                    },
                    Answer::Found,
                ),
                (
                    "a packed twin",
                    |session| {
                        session.files.rollouts.push(sample::file(
                            "/h/.codex/sessions/2020/01/02/x.jsonl.zst",
                            Spot::Dated,
                        ));
                    },
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
