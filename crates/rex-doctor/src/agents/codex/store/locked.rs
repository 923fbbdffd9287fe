//! Another process holds a SQLite file of the client.

use crate::agents::codex::databases::Held;
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

A process holds a write lock on the state database or on the projection, or has the state database to itself.

## What still works

Nothing until the lock is gone.

## What to do

End the process that holds it.

## Reports

openai/codex issues #46269, #28666, #31184.
";

fn run(session: &Session) -> Verdict {
    let holds = [
        (session.home.state_db(), &session.stores.held),
        (session.home.history_db(), &session.stores.projection_held),
    ];
    let Some((path, held)) = holds
        .iter()
        .find_map(|(path, held)| held.as_ref().map(|held| (path, held)))
    else {
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
