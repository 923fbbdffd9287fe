//! The store lacks what its migrations should have made.

use crate::agents::codex::migrations;
use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.store.schema_differs",
        severity: Severity::Error,
        summary: "the store lacks what its migrations should have made",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client asks for a column or a table that is not there: `no such column: threads.…`, or applies a migration
again and ends: `already exists`.

## How it is recognised

All migrations that the client knows are recorded, and a column of `threads` or the table itself is missing;
or tables are there and their migration is not recorded.

## What still works

The logs are whole.

## What to do

Move the state database aside: it is made again from the logs.

## Reports

openai/codex issues #25407.
";

fn run(session: &Session) -> Verdict {
    let path = session.home.state_db();
    let Some(state) = session.state() else {
        return Verdict::Pass;
    };
    let applied = state.migrations.as_deref();
    let is_current = migrations::STATE.is_current(applied);
    let is_recorded = applied.is_some_and(|applied| !applied.is_empty());
    let what = match state.missing_column {
        Some(column) if is_current => format!("the column threads.{column} is missing"),
        _ if is_current && !state.has_threads => "the table threads is missing".to_owned(),
        _ if state.is_ahead && is_recorded && !is_current => {
            "a migration was applied and is not recorded".to_owned()
        }
        _ if state.has_threads && applied.is_none() => "no migration is recorded".to_owned(),
        _ => return Verdict::Pass,
    };
    let aside = remedy::aside(
        &path,
        "move the state database aside; it is made again from the logs",
        true,
    );
    Verdict::Found(Evidence::new(format!("{}: {what}", path.display())).remedy(aside))
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
                    "a missing column",
                    |session| {
                        sample::state(session, |state| {
                            state.migrations = Some(vec![Migration {
                                version: 64,
                                success: true,
                                checksum: vec![],
                            }]);
                            state.missing_column = Some("name");
                        });
                    },
                    Answer::Found,
                ),
                (
                    "a store of an older release",
                    |session| sample::state(session, |state| state.missing_column = Some("name")),
                    Answer::Pass,
                ),
                (
                    "no record of migrations",
                    |session| sample::state(session, |state| state.migrations = None),
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
