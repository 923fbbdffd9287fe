//! The log lies in the archive.

use crate::agents::codex::log::Spot;
use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.archived",
        severity: Severity::Error,
        summary: "the log lies in the archive",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client refuses to resume an archived session and says so: `is archived`. The terminal asks whether to take
it out.

## How it is recognised

The log lies below `archived_sessions`, and the row is archived or there is none.

## What still works

The conversation is whole.

## What to do

Take it out of the archive.

## Reports

openai/codex issues #19362, #25769. pingdotgg/t3code #10481, microsoft/vscode #331379.
";

fn run(session: &Session) -> Verdict {
    let Some(log) = session.log.as_ref().filter(|log| !log.is_nowhere()) else {
        return Verdict::Pass;
    };
    let is_in_archive = session
        .files
        .rollouts
        .iter()
        .any(|file| file.path == log.path && file.spot == Spot::Archived);
    if !is_in_archive || session.row().is_some_and(|row| !row.is_archived) {
        return Verdict::Pass;
    }
    let id = session.thread().unwrap_or_default();
    Verdict::Found(
        Evidence::new(format!("{id} is archived"))
            .file(&log.path, "the log")
            .remedy(remedy::unarchive(session, true)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::sample::{self, Answer};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "one in the archive",
                    |session| {
                        session.files.rollouts = vec![sample::file(sample::LOG, Spot::Archived)];
                        sample::row(session, |row| row.is_archived = true);
                    },
                    Answer::Found,
                ),
                (
                    "one that the row says is active",
                    |session| session.files.rollouts = vec![sample::file(sample::LOG, Spot::Archived)],
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
