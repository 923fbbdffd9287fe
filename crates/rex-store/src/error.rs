//! Everything that can keep the library from doing its work, with the one thing to do next.

use std::io;
use std::path::PathBuf;

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
