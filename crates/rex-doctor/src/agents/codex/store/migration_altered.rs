//! A migration in the store is not the client's.

use crate::agents::codex::migrations;
use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.store.migration_altered",
        severity: Severity::Error,
        summary: "a migration in the store is not the client's",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client compares the checksums of applied migrations with its own and ends: `migration N was previously
applied but has been modified`. `codex exec` says `list_turns is not supported yet` instead. Builds for
Windows and for Linux over one home, or a development build, do this.

## How it is recognised

A row of `_sqlx_migrations` has another checksum than the migration of that number in the releases that are
known.

## What still works

The logs are whole.

## What to do

Move the state database aside: it is made again from the logs.

## Reports

openai/codex issues #23824, #23923, #28689.
";

fn run(session: &Session) -> Verdict {
    let path = session.home.state_db();
    let Some(state) = session.state() else {
        return Verdict::Pass;
    };
    let applied = state.migrations.as_deref().unwrap_or_default();
    match migrations::STATE.altered(applied) {
        Some(version) => Verdict::Found(
            Evidence::new(format!(
                "migration {version} in {} is not the client's",
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
                    "another checksum",
                    |session| {
                        sample::state(session, |state| {
                            state.migrations = Some(vec![Migration {
                                version: 1,
                                success: true,
                                checksum: vec![0],
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
