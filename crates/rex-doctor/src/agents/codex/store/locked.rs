//! Another process holds a SQLite file of the client.

use crate::agents::codex::databases::{Held, Side};
use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.store.locked",
        severity: Severity::Error,
        summary: "another process holds a SQLite file of the client",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client waits for the file without end, or ends with `database is locked`.

## How it is recognised

A process holds a write lock on the state database or on the projection, or has that or a side database to
itself.

## What still works

Nothing until the lock is gone.

## What to do

End the process that holds it.

## Reports

openai/codex issues #46269, #28666, #31184.
";

fn run(session: &Session) -> Verdict {
    let stores = &session.stores;
    let own = [
        (session.home.state_db(), &stores.held),
        (session.home.history_db(), &stores.projection_held),
    ];
    let is_kept = |side: &&Side| matches!(side.held, Some(Held::Exclusively(_)));
    let sides = stores.sides.iter().filter(is_kept);
    let mut holds = own
        .into_iter()
        .chain(sides.map(|side| (side.path.clone(), &side.held)));
    let Some((path, held)) = holds.find_map(|(path, held)| held.as_ref().map(|held| (path, held))) else {
        return Verdict::Pass;
    };
    let (Held::Exclusively(holder) | Held::ForWriting(holder)) = held;
    Verdict::Found(
        Evidence::new(format!(
            "{} is held by {}",
            path.display(),
            remedy::holder(holder)
        ))
        .remedy(remedy::end(holder)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::databases::Holder;
    use crate::agents::codex::sample::{self, Answer};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "a writer",
                    |session| {
                        session.stores.held = Some(Held::ForWriting(Holder {
                            pid: Some(7),
                            name: None,
                        }));
                    },
                    Answer::Found,
                ),
                (
                    "a writer of the projection",
                    |session| {
                        session.stores.projection_held = Some(Held::ForWriting(Holder {
                            pid: None,
                            name: None,
                        }));
                    },
                    Answer::Found,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
