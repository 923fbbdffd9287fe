//! Nobody has any trace of the session.

use crate::agents::codex::diagnosis::has_trace;
use crate::agents::codex::names::Meant;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.argument.no_trace",
        severity: Severity::Error,
        summary: "nobody has any trace of the session",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

Neither row nor log nor name nor prompt of it is in this home, and no other home on this disk has it. It was
never kept, was deleted, or lies on another disk or under another home.

## How it is recognised

The argument means no session, or one of which nothing is left in any home that was looked at.

## What still works

Nothing of it.

## What to do

Check the id and the home. An application around the client may have kept the conversation.

## Reports

openai/codex issues #22001. RunMaestro/Maestro #1043.
";

fn run(session: &Session) -> Verdict {
    let is_traced = match &session.meant {
        Meant::Several(_) => true,
        Meant::One { .. } => has_trace(session),
        Meant::Nothing => false,
    };
    if is_traced {
        return Verdict::Pass;
    }
    let can_see = session.stores.state.fault().is_none()
        && session.files.unreadable.is_empty()
        && session.files.complete;
    let found = Evidence::new(format!("nobody has any trace of `{}`", session.argument));
    let found = session
        .looked_at
        .iter()
        .fold(found, |found, place| found.line(format!("looked at {place}")));
    let found = session
        .nearest
        .iter()
        .fold(found, |found, id| found.line(format!("nearest: {id}")));
    let found = if can_see {
        found
    } else {
        found.line("not everything in this home could be read")
    };
    Verdict::Found(found.remedy(Remedy::advice("check the id and the home that the client uses")))
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
                    "an id that nobody has",
                    |session| {
                        sample::state(session, |state| state.row = None);
                        session.log = None;
                        session.files.rollouts.clear();
                    },
                    Answer::Found,
                ),
                ("a text", |session| session.meant = Meant::Nothing, Answer::Found),
                (
                    "a name in the index",
                    |session| {
                        sample::state(session, |state| state.row = None);
                        session.log = None;
                        session.files.rollouts.clear();
                        session.traces.push("x".to_owned());
                    },
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
