//! The projection does not end where the log ends.

use crate::agents::codex::log::Tail;
use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.store.cursor_behind",
        severity: Severity::Warning,
        summary: "the projection does not end where the log ends",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The screen shows the turns up to the cursor of the projection. The model still sees the whole log.

## How it is recognised

The cursor of the session in `thread_history_1.sqlite` is not at the end of the log, and no message of the log
is missing.

## What still works

Resuming, with all messages in the next request.

## What to do

Nothing where the client died in its last turn: the next resume moves the cursor. Else move the projection
aside.

## Reports

openai/codex issues #41566, #41657, #35746.
";

fn run(session: &Session) -> Verdict {
    let (Some(projection), Some(log), Some(rollout)) =
        (session.stores.projection.read(), &session.log, session.rollout())
    else {
        return Verdict::Pass;
    };
    let (Some((bytes, ordinal)), Tail::Numbered(last)) = (projection.cursor, rollout.tail) else {
        return Verdict::Pass;
    };
    let is_own = rollout
        .meta()
        .is_some_and(|meta| Some(meta.id.as_str()) == session.thread());
    let is_packed = rollout.path.extension().is_some_and(|ending| ending == "zst");
    let is_at_end = is_packed || !is_own || (bytes == rollout.bytes && ordinal == last + 1);
    let is_cut = session.lost(log).is_none_or(|lost| lost > 0) || log.lineage.broken.is_some();
    if is_at_end || is_cut {
        return Verdict::Pass;
    }
    Verdict::Found(
        Evidence::new(format!(
            "the projection stands at byte {bytes} and record {ordinal}, the log ends at {} and {last}",
            rollout.bytes
        ))
        .at(
            &rollout.path,
            bytes.min(rollout.bytes),
            "the projection stands here",
        )
        .remedy(remedy::aside(
            &session.home.history_db(),
            "move the projection aside; it is made again from the logs",
            true,
        )),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::sample::{self, Answer};
    use crate::agents::codex::store::Opening;

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "one that stands before the end",
                    |session| sample::log(session, |log| log.bytes = 2000),
                    Answer::Found,
                ),
                (
                    "a log that was cut",
                    |session| {
                        sample::log(session, |log| log.bytes = 900);
                        sample::count(session, |count| count.reachable.replies = 0);
                    },
                    Answer::Pass,
                ),
                (
                    "a projection that does not open",
                    |session| session.stores.projection = Opening::Absent,
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
