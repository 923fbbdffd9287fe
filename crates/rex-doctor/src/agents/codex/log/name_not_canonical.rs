//! The row or a symlink leads to a file whose name is not a rollout's.

use crate::agents::codex::meta::HistoryMode;
use crate::agents::codex::name::rollout_name;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};
use std::path::Path;

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.name_not_canonical",
        severity: Severity::Error,
        summary: "the row or a symlink leads to a file whose name is not a rollout's",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client follows the row and symlinks, and refuses a numbered log whose real name is not of its own form:
`does not have a canonical rollout filename`.

## How it is recognised

The log is numbered, and the name at the row's path, or the name that symlinks lead to, is not
`rollout-<time>-<id>.jsonl`.

## What still works

The file itself is whole.

## What to do

Rename the file, and correct the row or the symlink.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let (Some(log), Some(rollout)) = (&session.log, session.rollout()) else {
        return Verdict::Pass;
    };
    let is_numbered = rollout
        .meta()
        .is_some_and(|meta| meta.history_mode == HistoryMode::Paginated);
    let is_own = |path: &Path| path.file_name().and_then(rollout_name).is_some();
    let Some(path) = [&log.path, &log.real_path]
        .into_iter()
        .find(|path| is_numbered && !is_own(path))
    else {
        return Verdict::Pass;
    };
    Verdict::Found(
        Evidence::new(format!("{} is not a name of the client's", path.display())).remedy(Remedy::advice(
            "give the file the name that it had, and correct the row or the symlink",
        )),
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
                    "a symlink to another name",
                    |session| sample::open(session, |log| log.real_path = "/x/real.jsonl".into()),
                    Answer::Found,
                ),
                (
                    "a log that does not read",
                    |session| sample::log(session, |log| log.head = Head::Empty),
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
