//! The projection of the logs does not open.

use crate::agents::codex::migrations;
use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::agents::codex::store::{Fault, Opening};
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.store.history_db_damaged",
        severity: Severity::Error,
        summary: "the projection of the logs does not open",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The turns that the screen shows come from `thread_history_1.sqlite`. A missing one is made again; a damaged
one refuses every resume of a numbered session: `failed to list thread history`.

## How it is recognised

Its bytes are no database, it may not be opened, its migrations are altered or unfinished, or a table is
missing.

## What still works

Sessions without numbered records.

## What to do

Move it aside: it is made again from the logs.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let path = session.home.history_db();
    let what = match &session.stores.projection {
        Opening::Absent | Opening::Broken(Fault::NoFolder) => return Verdict::Pass,
        Opening::Broken(Fault::Unread(why)) => return Verdict::Unknown(format!("{}: {why}", path.display())),
        Opening::Broken(Fault::NotADatabase) => "it is no database (code 26)".to_owned(),
        Opening::Broken(Fault::Malformed) => "its pages do not hang together (code 11)".to_owned(),
        Opening::Broken(Fault::CannotOpen(why)) => format!("it cannot be opened: {why} (code 14)"),
        Opening::Read(projection) => {
            let applied = projection.migrations.as_deref();
            let fault = migrations::HISTORY.fault(applied, projection.missing_table.is_none());
            let missing = projection
                .missing_table
                .filter(|_| migrations::HISTORY.is_current(applied));
            match fault.or_else(|| missing.map(|table| format!("the table {table} is missing"))) {
                Some(fault) => fault,
                None => return Verdict::Pass,
            }
        }
    };
    let aside = remedy::aside(&path, "move it aside; it is made again from the logs", true);
    Verdict::Found(Evidence::new(format!("{}: {what}", path.display())).remedy(aside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::projection::Projection;
    use crate::agents::codex::sample::{self, Answer};
    use crate::agents::codex::store::Migration;

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "no database",
                    |session| session.stores.projection = Opening::Broken(Fault::NotADatabase),
                    Answer::Found,
                ),
                (
                    "a table that is missing",
                    |session| {
                        session.stores.projection = Opening::Read(Projection {
                            migrations: Some(vec![Migration {
                                version: 9,
                                success: false,
                                checksum: vec![],
                            }]),
                            ..Projection::default()
                        });
                    },
                    Answer::Found,
                ),
                (
                    "one that the doctor could not read",
                    |session| session.stores.projection = Opening::Broken(Fault::Unread("x".to_owned())),
                    Answer::Unknown,
                ),
                (
                    "none at all",
                    |session| session.stores.projection = Opening::Absent,
                    Answer::Pass,
                ),
            ],
        );
    }
}
