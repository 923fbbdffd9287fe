//! A folder of logs may not be read.

use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.home.folder_unreadable",
        severity: Severity::Error,
        summary: "a folder of logs may not be read",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client cannot see the logs in it. A listing ends with `Permission denied`, also where the session itself
lies elsewhere.

## How it is recognised

A folder below `sessions` or `archived_sessions` cannot be listed.

## What still works

Sessions whose row names a log in another folder resume by id.

## What to do

Give the client the right to the folder.

## Reports

openai/codex issues #34124.
";

fn run(session: &Session) -> Verdict {
    let Some((path, why)) = session.files.unreadable.first() else {
        let is_complete = session.files.complete;
        return if is_complete {
            Verdict::Pass
        } else {
            Verdict::Unknown("there are more files than are looked at".to_owned())
        };
    };
    let evidence = Evidence::new(format!("{}: {why}", path.display()));
    let is_hidden = session.row().is_none_or(|row| row.rollout_path.starts_with(path));
    let severity = if is_hidden {
        Severity::Error
    } else {
        Severity::Warning
    };
    Verdict::Found(
        evidence
            .severity(severity)
            .remedy(remedy::permit(path, "u+rwx", false)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::sample::{self, Answer};
    use crate::evidence::Why;

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "a folder of another user",
                    |session| {
                        session.files.unreadable = vec![("/h/.codex/sessions".into(), Why::NotPermitted)];
                    },
                    Answer::Found,
                ),
                (
                    "more files than are looked at",
                    |session| session.files.complete = false,
                    Answer::Unknown,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
