//! A side database of the client does not open.

use crate::agents::codex::migrations;
use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::agents::codex::store::{Fault, Opening};
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.store.side_damaged",
        severity: Severity::Error,
        summary: "a side database of the client does not open",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

Goals, memories, the queue and the telemetry have databases of their own, which the client opens when it
starts. A damaged one makes `codex exec` go on without its store: `list_turns is not supported yet`. The app
server and the terminal put it aside.

## How it is recognised

One of `goals_1`, `memories_1`, `queue_1` and `logs_2` is no database, does not hang together, may not be
opened, or has migrations that are unfinished or not the client's.

## What still works

Sessions without numbered records.

## What to do

Move it aside.

## Reports

openai/codex issues #35555, #20213, #27741.
";

fn run(session: &Session) -> Verdict {
    for side in &session.stores.sides {
        let what = match &side.opening {
            Opening::Broken(Fault::Unread(why)) => {
                return Verdict::Unknown(format!("{}: {why}", side.path.display()));
            }
            Opening::Broken(Fault::NotADatabase) => "it is no database (code 26)".to_owned(),
            Opening::Broken(Fault::Malformed) => "its pages do not hang together (code 11)".to_owned(),
            // The client does without its telemetry.
            Opening::Broken(Fault::CannotOpen(_)) if side.name == "logs" => continue,
            Opening::Broken(Fault::CannotOpen(why)) => format!("it cannot be opened: {why} (code 14)"),
            Opening::Read(applied) => {
                let known = migrations::of_side(side.name);
                match known.and_then(|known| known.fault(applied.as_deref(), false)) {
                    Some(fault) => fault,
                    None => continue,
                }
            }
            Opening::Broken(Fault::NoFolder) | Opening::Absent => continue,
        };
        let aside = remedy::aside(&side.path, "move it aside", true);
        return Verdict::Found(Evidence::new(format!("{}: {what}", side.path.display())).remedy(aside));
    }
    Verdict::Pass
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::databases::Side;
    use crate::agents::codex::sample::{self, Answer};
    use crate::agents::codex::store::Applied;

    fn side(opening: Opening<Applied>) -> Side {
        Side {
            name: "goals",
            path: "/h/goals_1.sqlite".into(),
            opening,
            held: None,
        }
    }

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "no database",
                    |session| session.stores.sides = vec![side(Opening::Broken(Fault::NotADatabase))],
                    Answer::Found,
                ),
                (
                    "one that the doctor could not read",
                    |session| {
                        session.stores.sides = vec![side(Opening::Broken(Fault::Unread("x".to_owned())))];
                    },
                    Answer::Unknown,
                ),
                (
                    "a sound one",
                    |session| session.stores.sides = vec![side(Opening::Read(None))],
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
