//! A migration of the store was begun and not finished.

use crate::agents::codex::migrations;
use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.store.migration_dirty",
        severity: Severity::Error,
        summary: "a migration of the store was begun and not finished",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client ends: `migration N is partially applied`. `codex exec` says `list_turns is not supported yet`
instead.

## How it is recognised

A row of `_sqlx_migrations` has `success = 0`.

## What still works

The logs are whole.

## What to do

Move the state database aside: it is made again from the logs.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let path = session.home.state_db();
    let Some(state) = session.state() else {
        return Verdict::Pass;
    };
    match migrations::dirty(state.migrations.as_deref().unwrap_or_default()) {
        Some(version) => Verdict::Found(
            Evidence::new(format!(
                "migration {version} in {} was not finished",
                path.display()
            ))
            .remedy(remedy::aside(
                &path,
                "move the state database aside; it is made again from the logs",
                true,
            )),
        ),
        None => Verdict::Pass,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::sample::{self, Answer};
    use crate::agents::codex::store::{Fault, Migration, Opening};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "one that was not finished",
                    |session| {
                        sample::state(session, |state| {
                            state.migrations = Some(vec![Migration {
                                version: 99,
                                success: false,
                                checksum: vec![],
                            }]);
                        });
                    },
                    Answer::Found,
                ),
                (
                    "a store that does not open",
                    |session| session.stores.state = Opening::Broken(Fault::NotADatabase),
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
