//! Everything that can keep the library from doing its work, with the one thing to do next.

use std::io;
use std::path::PathBuf;

use crate::daemon::Refusal;
use crate::open::Holder;

/// Why a store could not be read or written.
///
/// [`Display`](std::fmt::Display) is one lower-case line without the source's text; [`StoreError::hint`] is apart.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file system refused.
    #[error("cannot {doing} {}", path.display())]
    Io {
        /// What was tried, as an infinitive.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// The path leads to something that is not a regular file.
    #[error("{} is a {found}, not a database file", path.display())]
    NotAFile {
        /// The path as given.
        path: PathBuf,
        /// What lies there: directory, fifo, socket, device.
        found: &'static str,
    },
    /// The file is not an SQLite database (or an encrypted one).
    #[error("{} is not an SQLite database", path.display())]
    NotADatabase {
        /// The path as given.
        path: PathBuf,
    },
    /// SQLite refused a statement.
    #[error("cannot {doing}")]
    Sqlite {
        /// What was tried, as an infinitive.
        doing: &'static str,
        /// SQLite's reason.
        #[source]
        source: rusqlite::Error,
    },
    /// The source changed each time while it was read.
    #[error("{} changed {attempts} times while it was read", path.display())]
    Moved {
        /// The store.
        path: PathBuf,
        /// How often reading was tried.
        attempts: u32,
    },
    /// Another process has the store open.
    #[error("{} is held by {}", path.display(), Holder::list(holders))]
    Held {
        /// The store.
        path: PathBuf,
        /// Who holds it, where the system tells; else empty.
        holders: Vec<Holder>,
    },
    /// The store is at another schema version than the call needs.
    #[error("the store is at version {found}, not {wanted}")]
    Version {
        /// The `user_version` found.
        found: i64,
        /// The one needed.
        wanted: i64,
    },
    /// A row holds a value of a storage class its column cannot have.
    #[error("a row of {table} holds a {found} in {column}")]
    Value {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The storage class found.
        found: &'static str,
    },
    /// A table that must have exactly one row has none.
    #[error("{table} has no row")]
    SingletonMissing {
        /// The table.
        table: &'static str,
    },
    /// Every number up to 2^63-1 has been drawn.
    #[error("sequence_exhausted: no number is left in {table}")]
    SequenceExhausted {
        /// The sequence's table.
        table: &'static str,
    },
    /// The request was submitted before, with something else in it.
    #[error("idempotency_conflict: {field} differs from the first submission, number {number}")]
    IdempotencyConflict {
        /// The first field that differs.
        field: &'static str,
        /// The number that the first submission got.
        number: i64,
    },
    /// An operation on a live store is not allowed as things stand.
    #[error("{refusal}")]
    Refused {
        /// What stands against it.
        refusal: Refusal,
    },
    /// The storage failed under an earlier operation of this writer.
    #[error("the writer gave up when the storage failed")]
    WriterDead,
}

impl From<Refusal> for StoreError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused { refusal }
    }
}

impl StoreError {
    /// The one thing to do next, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Io { source, .. } => io_hint(source.kind()),
            Self::NotAFile { .. } => Some("give the path of the database file itself"),
            Self::NotADatabase { .. } => Some("check the path; an encrypted store must be decrypted first"),
            Self::Sqlite { source, .. } => sqlite_hint(source),
            Self::Moved { .. } => Some("stop the program that writes to it and try again"),
            Self::Held { .. } => Some("stop that process and try again"),
            Self::Version { .. } => Some("bring it to the version needed with rex-migrate up"),
            Self::Value { .. } => {
                Some("look at the row with the sqlite3 shell; no program of the store writes this")
            }
            Self::SingletonMissing { .. } => {
                Some("restore a backup, or let rex-migrate up write the row anew if the store is at 90")
            }
            Self::SequenceExhausted { .. } => Some("start a new store; this one has no number left"),
            Self::IdempotencyConflict { .. } => Some("send it under a new request id"),
            Self::Refused { refusal } => refusal.hint(),
            Self::WriterDead => Some("open the store again; what was acknowledged is there"),
        }
    }
}

fn io_hint(kind: io::ErrorKind) -> Option<&'static str> {
    match kind {
        io::ErrorKind::NotFound => Some("check the path"),
        io::ErrorKind::PermissionDenied => Some("run as the user that owns the file, or change its mode"),
        io::ErrorKind::StorageFull => Some("free some space, or name another scratch folder"),
        _ => None,
    }
}

fn sqlite_hint(source: &rusqlite::Error) -> Option<&'static str> {
    match source.sqlite_error_code()? {
        rusqlite::ErrorCode::DatabaseCorrupt => {
            Some("restore a backup, or recover what is left with the sqlite3 shell's .recover")
        }
        rusqlite::ErrorCode::DiskFull => Some("free some space, or name another scratch folder"),
        rusqlite::ErrorCode::DatabaseBusy => Some("stop the program that writes to it and try again"),
        _ => None,
    }
}

/// Shortens the calls that turn SQLite's errors into ours.
pub(crate) trait Doing<T> {
    /// Says what was tried, as an infinitive.
    fn doing(self, doing: &'static str) -> Result<T, StoreError>;
}

impl<T> Doing<T> for rusqlite::Result<T> {
    fn doing(self, doing: &'static str) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::Sqlite { doing, source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sqlite(code: i32) -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None)
    }

    #[expect(clippy::too_many_lines, reason = "one table of every variant")]
    fn all() -> Vec<(StoreError, &'static str, &'static str)> {
        let path = || PathBuf::from("/s.db");
        let io = |kind: io::ErrorKind| StoreError::Io {
            doing: "read",
            path: path(),
            source: kind.into(),
        };
        let holders = vec![
            Holder {
                pid: 7,
                name: Some("daemon".to_owned()),
            },
            Holder { pid: 8, name: None },
        ];
        let stop = "stop that process and try again";
        vec![
            (io(io::ErrorKind::NotFound), "cannot read /s.db", "check the path"),
            (
                io(io::ErrorKind::PermissionDenied),
                "cannot read /s.db",
                "run as the user that owns the file, or change its mode",
            ),
            (io(io::ErrorKind::BrokenPipe), "cannot read /s.db", ""),
            (
                StoreError::NotAFile {
                    path: path(),
                    found: "fifo",
                },
                "/s.db is a fifo, not a database file",
                "give the path of the database file itself",
            ),
            (
                StoreError::NotADatabase { path: path() },
                "/s.db is not an SQLite database",
                "check the path; an encrypted store must be decrypted first",
            ),
            (
                StoreError::Sqlite {
                    doing: "read the schema",
                    source: sqlite(11),
                },
                "cannot read the schema",
                "restore a backup, or recover what is left with the sqlite3 shell's .recover",
            ),
            (
                StoreError::Sqlite {
                    doing: "read the schema",
                    source: sqlite(1),
                },
                "cannot read the schema",
                "",
            ),
            (
                StoreError::Moved {
                    path: path(),
                    attempts: 5,
                },
                "/s.db changed 5 times while it was read",
                "stop the program that writes to it and try again",
            ),
            (
                StoreError::Held {
                    path: path(),
                    holders,
                },
                "/s.db is held by daemon (process 7), process 8",
                stop,
            ),
            (
                StoreError::Held {
                    path: path(),
                    holders: Vec::new(),
                },
                "/s.db is held by another process",
                stop,
            ),
            (
                StoreError::Version {
                    found: 90,
                    wanted: 91,
                },
                "the store is at version 90, not 91",
                "bring it to the version needed with rex-migrate up",
            ),
            (
                StoreError::Value {
                    table: "turns",
                    column: "bot",
                    found: "BLOB",
                },
                "a row of turns holds a BLOB in bot",
                "look at the row with the sqlite3 shell; no program of the store writes this",
            ),
            (
                StoreError::SingletonMissing {
                    table: "message_sequence",
                },
                "message_sequence has no row",
                "restore a backup, or let rex-migrate up write the row anew if the store is at 90",
            ),
            (
                StoreError::SequenceExhausted {
                    table: "message_sequence",
                },
                "sequence_exhausted: no number is left in message_sequence",
                "start a new store; this one has no number left",
            ),
            (
                StoreError::IdempotencyConflict {
                    field: "words",
                    number: 7,
                },
                "idempotency_conflict: words differs from the first submission, number 7",
                "send it under a new request id",
            ),
            (
                Refusal::BotBusy.into(),
                "bot_busy: the bot has work, and delivery reject does not wait",
                "send it with delivery queue or steer, or wait until the bot is idle",
            ),
            (
                StoreError::WriterDead,
                "the writer gave up when the storage failed",
                "open the store again; what was acknowledged is there",
            ),
        ]
    }

    #[test]
    fn every_error_says_what_and_what_next_in_one_line() {
        for (error, says, hint) in all() {
            assert_eq!(error.to_string(), says);
            assert_eq!(error.hint().unwrap_or_default(), hint, "{says}");
            assert!(!says.ends_with('.') && !hint.ends_with('.') && !says.contains('\n'));
            let has_source = matches!(error, StoreError::Io { .. } | StoreError::Sqlite { .. });
            assert_eq!(std::error::Error::source(&error).is_some(), has_source, "{says}");
        }
    }
}
