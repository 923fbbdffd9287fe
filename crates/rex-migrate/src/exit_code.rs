//! The exit statuses of `rex-migrate`: this table is their documentation, and one match decides.

use rex_store::error::StoreError;

use crate::cli::CliError;
use crate::error::MigrateError;

/// Done, or nothing to do.
pub const DONE: u8 = 0;
/// Failed and rolled back; of `verify`: differs.
pub const FAILED: u8 = 1;
/// The command line is wrong.
pub const USAGE: u8 = 2;
/// Refused; nothing has changed.
pub const REFUSED: u8 = 3;
/// There is no such message.
pub const NO_SUCH_MESSAGE: u8 = 4;
/// Another process holds the store; nothing has changed.
pub const HELD: u8 = 5;

/// Every status with its name and what it means.
pub const ALL: [(u8, &str, &str); 6] = [
    (DONE, "done", "The work is done, or there was nothing to do."),
    (
        FAILED,
        "failed",
        "The work failed and was rolled back; for `verify`: the store differs.",
    ),
    (
        USAGE,
        "usage",
        "The command line is wrong; nothing was looked at.",
    ),
    (
        REFUSED,
        "refused",
        "The store is not upgraded as it is; nothing has changed. Also for `status` and `plan`, if `up` would refuse.",
    ),
    (
        NO_SUCH_MESSAGE,
        "no such message",
        "`explain`: the store has no message of that name.",
    ),
    (
        HELD,
        "held",
        "Another process holds the store; nothing has changed. Try again when it has let go.",
    ),
];

/// The status of an error.
pub fn of(error: &CliError) -> u8 {
    match error {
        CliError::Migrate(error) => of_engine(error),
        CliError::Differs { .. } | CliError::Output { .. } | CliError::Explain(_) => FAILED,
        CliError::NobodyToAsk
        | CliError::Handle { .. }
        | CliError::Class { .. }
        | CliError::Version { .. } => USAGE,
        CliError::Declined | CliError::Script { .. } | CliError::Gone { .. } => REFUSED,
        CliError::NoSuchMessage { .. } => NO_SUCH_MESSAGE,
    }
}

fn of_engine(error: &MigrateError) -> u8 {
    match error {
        MigrateError::Refused { .. }
        | MigrateError::Occupied { .. }
        | MigrateError::NoSpace { .. }
        | MigrateError::NoBackup { .. }
        | MigrateError::NoReceipt { .. }
        | MigrateError::NotItsBackup { .. }
        | MigrateError::BackupDamaged { .. }
        | MigrateError::Receipt { .. } => REFUSED,
        MigrateError::Unreadable(error) => {
            let is_held = matches!(error, StoreError::Held { .. } | StoreError::Moved { .. });
            if is_held { HELD } else { REFUSED }
        }
        MigrateError::BackupDiffers { .. }
        | MigrateError::Unproven { .. }
        | MigrateError::Uncovered { .. }
        | MigrateError::ForeignKeys { .. }
        | MigrateError::Schema { .. }
        | MigrateError::Commit { .. }
        | MigrateError::Step(_)
        | MigrateError::Store(_)
        | MigrateError::Sqlite { .. }
        | MigrateError::File { .. } => FAILED,
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::PathBuf;

    use super::*;
    use crate::step::{Refusal, StepError};

    fn full() -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL), None)
    }

    fn no_json() -> serde_json::Error {
        serde_json::from_str::<u8>("?").unwrap_err()
    }

    fn of_the_engine() -> Vec<MigrateError> {
        let path = || PathBuf::from("bots.db");
        let text = str::to_owned;
        let refusal = |cause: &str| Refusal {
            cause: text(cause),
            hint: text("do this"),
        };
        vec![
            MigrateError::Refused {
                refusals: vec![refusal("a row is ill")],
            },
            MigrateError::Refused {
                refusals: vec![refusal("a row is ill"), refusal("another too")],
            },
            MigrateError::Unreadable(StoreError::Held {
                path: path(),
                holders: Vec::new(),
            }),
            MigrateError::Unreadable(StoreError::Moved {
                path: path(),
                attempts: 5,
            }),
            MigrateError::Unreadable(StoreError::NotADatabase { path: path() }),
            MigrateError::Occupied { path: path() },
            MigrateError::NoSpace {
                folder: "/home".into(),
                needed_bytes: 9,
                free_bytes: 8,
            },
        ]
    }

    fn of_the_work() -> Vec<MigrateError> {
        let path = || PathBuf::from("bots.db");
        let text = str::to_owned;
        vec![
            MigrateError::BackupDiffers { backup: path() },
            MigrateError::Unproven {
                table: text("nodes"),
                rows_before: 3,
                rows_after: 2,
                rule: text("unchanged"),
            },
            MigrateError::Uncovered {
                table: text("notes"),
                event: "disappeared",
            },
            MigrateError::ForeignKeys {
                table: text("nodes"),
                parent: text("nodes"),
                rows: 2,
            },
            MigrateError::Schema {
                difference: text("table notes is missing"),
            },
            MigrateError::Commit {
                store: path(),
                version: Some(91),
                source: full(),
            },
            MigrateError::Commit {
                store: path(),
                version: None,
                source: full(),
            },
        ]
    }

    fn of_files_and_causes() -> Vec<MigrateError> {
        let path = || PathBuf::from("bots.db");
        vec![
            MigrateError::NoBackup { store: path() },
            MigrateError::NoReceipt { backup: path() },
            MigrateError::BackupDamaged { backup: path() },
            MigrateError::NotItsBackup {
                backup: path(),
                from: 89,
                to: 91,
            },
            MigrateError::Receipt {
                path: path(),
                source: no_json(),
            },
            MigrateError::Step(StepError::Sqlite {
                step: "a.step",
                doing: "copy",
                source: full(),
            }),
            MigrateError::Store(StoreError::Sqlite {
                doing: "read",
                source: full(),
            }),
            MigrateError::Sqlite {
                doing: "commit",
                source: full(),
            },
            MigrateError::File {
                doing: "sync",
                path: path(),
                source: io::ErrorKind::StorageFull.into(),
            },
            MigrateError::File {
                doing: "open",
                path: path(),
                source: io::ErrorKind::PermissionDenied.into(),
            },
        ]
    }

    fn of_the_command_line() -> Vec<CliError> {
        let text = str::to_owned;
        vec![
            CliError::NobodyToAsk,
            CliError::Declined,
            CliError::Differs {
                store: "bots.db".into(),
            },
            CliError::Handle { text: text("7") },
            CliError::NoSuchMessage { name: text("Bob/7") },
            CliError::Class { class: text("f") },
            CliError::Gone {
                class: text("dead_handles"),
            },
            CliError::Version { version: 7 },
            CliError::Script {
                path: "bots.sql".into(),
                source: "no".into(),
            },
            CliError::Explain(StepError::Sqlite {
                step: "a.step",
                doing: "read",
                source: full(),
            }),
            CliError::Output {
                source: io::ErrorKind::BrokenPipe.into(),
            },
        ]
    }

    #[test]
    fn every_error_has_its_line_its_hint_and_its_status() {
        let engine = [of_the_engine(), of_the_work(), of_files_and_causes()];
        let errors = engine
            .into_iter()
            .flatten()
            .map(CliError::Migrate)
            .chain(of_the_command_line());
        let lines = errors.map(|error| {
            let line = error.to_string();
            assert!(!line.contains('\n') && !line.ends_with('.'), "{line}");
            format!(
                "{} {line}\n  hint: {}\n",
                of(&error),
                error.hint().as_deref().unwrap_or("none")
            )
        });
        insta::assert_snapshot!("errors", lines.collect::<String>());
    }

    #[test]
    fn every_status_is_listed_once() {
        let statuses: Vec<u8> = ALL.iter().map(|(status, ..)| *status).collect();
        assert_eq!(statuses, [0, 1, 2, 3, 4, 5]);
    }
}
