//! The row names the log of another thread.

use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.store.foreign_path",
        severity: Severity::Error,
        summary: "the row names the log of another thread",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client reads the first record of the file that the row names, and refuses where it is of another thread:
`session metadata … belongs to thread …`.

## How it is recognised

The first record of the file at the row's path has another id, and so has the name of the file.

## What still works

The other thread resumes. The own log, if it is still there, resumes once the path is right.

## What to do

Correct the path in the row, or delete the row.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let (Some(row), Some(rollout)) = (session.row(), session.rollout()) else {
        return Verdict::Pass;
    };
    let Some(meta) = rollout.meta().filter(|meta| meta.id != row.id) else {
        return Verdict::Pass;
    };
    if session
        .files
        .of(&row.id)
        .any(|file| file.path == row.rollout_path)
    {
        return Verdict::Pass;
    }
    Verdict::Found(
        Evidence::new(format!("the row of {} names the log of {}", row.id, meta.id))
            .at(&row.rollout_path, 0, "the first record names the other thread")
            .remedy(remedy::delete_row(session, true)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::meta::Head;
    use crate::agents::codex::sample::{self, Answer};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "a file of another thread",
                    |session| {
                        session.files.rollouts.clear();
                        sample::log(session, |log| {
                            let Head::Meta(meta) = &mut log.head else { return };
                            meta.id = "x".to_owned();
                        });
                    },
                    Answer::Found,
                ),
                (
                    "a first record that does not read",
                    |session| sample::log(session, |log| log.head = Head::Empty),
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
