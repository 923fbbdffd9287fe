//! The row names a path at which nothing lies, and the log lies elsewhere.

use crate::agents::codex::log::Spot;
use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.store.stale_path",
        severity: Severity::Error,
        summary: "the row names a path at which nothing lies, and the log lies elsewhere",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The row picks the log, and the client does not search where the row is wrong: it refuses with `no rollout
found`, as if the log were lost. A wrong row is worse than none. Moving a home, renaming a user or restoring a
backup does this to every session at once.

## How it is recognised

The row is there, nothing lies at its path, and a file with the id lies elsewhere in the home.

## What still works

The log itself is whole; deleting the row heals the session.

## What to do

Delete the row, or correct its path. After a whole home has moved, move the state database aside: it is made
again from the logs.

## Reports

openai/codex issues #20317, #38552, #41881, #30924.
";

fn run(session: &Session) -> Verdict {
    let Some(row) = session.row().filter(|_| session.has_stale_path()) else {
        return Verdict::Pass;
    };
    let Some(file) = session.files.by_name(&row.id) else {
        return Verdict::Pass;
    };
    let evidence = Evidence::new(format!(
        "the row names {}, the log is {}",
        row.rollout_path.display(),
        file.path.display()
    ))
    .file(&row.rollout_path, "nothing lies there")
    .file(&file.path, "the log of this session");
    let path = format!("rollout_path = {}", remedy::quoted(&file.path));
    Verdict::Found(match file.spot {
        Spot::Archived if file.is_compressed => evidence
            .remedy(remedy::delete_row(session, false))
            .remedy(remedy::unarchive(session, false)),
        Spot::Archived => evidence.remedy(remedy::put_back(&file.path, &row.rollout_path, true)),
        Spot::Dated => evidence
            .remedy(remedy::delete_row(session, true))
            .remedy(remedy::set_row(
                session,
                "or correct the path in the row",
                &path,
                true,
            ))
            .remedy(remedy::aside(
                &session.home.state_db(),
                "or, where a whole home has moved, make all rows again",
                true,
            )),
        Spot::Loose => evidence
            .remedy(remedy::delete_row(session, true))
            .remedy(remedy::set_row(
                session,
                "or correct the path in the row",
                &path,
                true,
            )),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::sample::{self, Answer};
    use crate::evidence::{Says, Why};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "the log in another folder",
                    |session| sample::open(session, |log| log.rollout = Says::Absent),
                    Answer::Found,
                ),
                (
                    "no log anywhere",
                    |session| {
                        session.files.rollouts.clear();
                        sample::open(session, |log| log.rollout = Says::Absent);
                    },
                    Answer::Pass,
                ),
                (
                    "a log that may not be read",
                    |session| sample::open(session, |log| log.rollout = Says::Unreadable(Why::NotPermitted)),
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
