//! The store has the session, its log is nowhere.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.store.row_without_log",
        severity: Severity::Error,
        summary: "the store has the session, its log is nowhere",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The row picks the log, and nothing lies at its path; no file with the id is anywhere in the home. The
conversation is lost to the client: `no rollout found for thread id`.

## How it is recognised

The row is there, its path is empty of files, and neither `sessions` nor `archived_sessions` nor another home
holds a file with the id.

## What still works

The row still has the title, the first prompt and the folder.

## What to do

Restore the file to the path of the row. Where there is no backup, give the first prompt again; `codex delete`
removes the row.

## Reports

openai/codex issues #38552, #41881.
";

fn run(session: &Session) -> Verdict {
    let Some(row) = session.row().filter(|_| session.has_stale_path()) else {
        return Verdict::Pass;
    };
    let is_somewhere = session.files.of(&row.id).next().is_some()
        || session.stranger.is_some()
        || session.elsewhere.is_some();
    if is_somewhere {
        return Verdict::Pass;
    }
    if !session.files.complete || !session.files.unreadable.is_empty() {
        return Verdict::Unknown("not all folders could be read".to_owned());
    }
    Verdict::Found(
        Evidence::new(format!(
            "no log of {} is left; its row names {}",
            row.id,
            row.rollout_path.display()
        ))
        .line(format!("the row's first prompt: {}", row.preview))
        .remedy(Remedy::advice(
            "restore the log to the path that the row names, from a backup",
        ))
        .remedy(Remedy::command(
            "remove the row",
            ["codex", "delete", &row.id],
            false,
        )),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::sample::{self, Answer};
    use crate::evidence::Says;

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "no file anywhere",
                    |session| {
                        session.files.rollouts.clear();
                        sample::open(session, |log| log.rollout = Says::Absent);
                    },
                    Answer::Found,
                ),
                (
                    "folders that could not be read",
                    |session| {
                        session.files.rollouts.clear();
                        session.files.complete = false;
                        sample::open(session, |log| log.rollout = Says::Absent);
                    },
                    Answer::Unknown,
                ),
                (
                    "a file in another folder",
                    |session| sample::open(session, |log| log.rollout = Says::Absent),
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
