//! Side records are left of the session, row and log are gone.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.argument.trace_only",
        severity: Severity::Error,
        summary: "side records are left of the session, row and log are gone",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The session existed: a name, a prompt or its projection is left. Its row and its log are not, so the client
says `no rollout found`.

## How it is recognised

Neither row nor log of the id is in any home, and its id is in `session_index.jsonl`, `history.jsonl` or
`thread_history_1.sqlite`.

## What still works

The side records still hold prompts.

## What to do

Restore the log from a backup.

## Reports

openai/codex issues #20317.
";

fn run(session: &Session) -> Verdict {
    let Some(id) = session.thread() else {
        return Verdict::Pass;
    };
    let is_there = session.row().is_some() || session.files.of(id).next().is_some();
    if is_there || session.elsewhere.is_some() || session.stranger.is_some() || session.traces.is_empty() {
        return Verdict::Pass;
    }
    if session.stores.state.fault().is_some() {
        return Verdict::Unknown("the state database does not open".to_owned());
    }
    let evidence = Evidence::new(format!("only side records of {id} are left"));
    let evidence = session.traces.iter().fold(evidence, Evidence::line);
    Verdict::Found(evidence.remedy(Remedy::advice("restore the log from a backup")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::sample::{self, Answer};
    use crate::agents::codex::store::{Fault, Opening};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "a name in the index",
                    |session| {
                        sample::state(session, |state| state.row = None);
                        session.log = None;
                        session.files.rollouts.clear();
                        session.traces.push("x".to_owned());
                    },
                    Answer::Found,
                ),
                (
                    "a store that does not open",
                    |session| {
                        session.stores.state = Opening::Broken(Fault::NotADatabase);
                        session.log = None;
                        session.files.rollouts.clear();
                        session.traces.push("x".to_owned());
                    },
                    Answer::Unknown,
                ),
                (
                    "a row",
                    |session| session.traces.push("x".to_owned()),
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
