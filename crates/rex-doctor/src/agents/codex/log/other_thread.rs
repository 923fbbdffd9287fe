//! The first record names another thread than the file's name.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.other_thread",
        severity: Severity::Error,
        summary: "the first record names another thread than the file's name",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client refuses with `belongs to thread`, or without a row with `thread source changed during resume`.
`--last` goes on under the other id.

## How it is recognised

The name of the file has the session's id, its first record another.

## What still works

The conversation goes on under the other id with `codex exec resume --last`.

## What to do

Restore the first line, or rename the file after the id in it.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let (Some(rollout), Some(id)) = (session.rollout(), session.thread()) else {
        return Verdict::Pass;
    };
    let Some(meta) = rollout.meta().filter(|meta| meta.id != id) else {
        return Verdict::Pass;
    };
    let is_own_file = session
        .files
        .of(id)
        .any(|file| session.log.as_ref().is_some_and(|log| log.path == file.path));
    if !is_own_file {
        return Verdict::Pass;
    }
    Verdict::Found(
        Evidence::new(format!("{} begins as thread {}", rollout.path.display(), meta.id))
            .at(&rollout.path, 0, "the first record")
            .remedy(Remedy::advice("restore the first line from a backup")),
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
                    "another id",
                    |session| {
                        sample::log(session, |log| {
                            let Head::Meta(meta) = &mut log.head else { return };
                            meta.id = "x".to_owned();
                        });
                    },
                    Answer::Found,
                ),
                (
                    "no first record",
                    |session| sample::log(session, |log| log.head = Head::Empty),
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
