//! Opens an agent's SQLite store without a trace.

use std::path::Path;

use rex_store::error::StoreError;
use rex_store::open::{How, Reader};
use rusqlite::{Connection, ErrorCode};

use super::Place;
use crate::evidence::{Says, Why};

/// The largest store that is read, with what is pending beside it: a copy of it may have to be made.
const MOST_BYTES: u64 = 64 << 30;

/// A SQLite store, opened without a trace.
#[derive(Debug)]
pub struct Database {
    reader: Reader,
}

impl Place {
    /// Opens the SQLite store there, what its `-wal` or `-journal` holds included. A lock that another process holds
    /// does not matter: the copy is read.
    pub fn database(&self, path: &Path) -> Says<Database> {
        // Opened once to learn that it is a regular file that the client may read.
        self.open(path).and_then(|file| {
            if file.bytes() > MOST_BYTES {
                return Says::Unreadable(Why::TooMuch {
                    limit: MOST_BYTES,
                    unit: "bytes",
                });
            }
            self.find(path, true)
                .and_then(|found| match Reader::open(&found.real, &self.scratch) {
                    Ok(reader) => Says::Read(Database { reader }),
                    Err(error) => refused(&error),
                })
        })
    }
}

impl Database {
    /// The connection; SQLite refuses every write through it.
    pub fn connection(&self) -> &Connection {
        self.reader.connection()
    }

    /// True where what is read is a private copy, because something was pending beside the file.
    pub fn is_copy(&self) -> bool {
        self.reader.how() == How::Copied
    }

    /// Turns the answer to a query into what the store says: a row that is not there is absent, and an error of a file
    /// that somebody wrote to meanwhile is [`Why::Changed`].
    pub fn says<T>(&self, answer: rusqlite::Result<T>) -> Says<T> {
        match answer {
            Ok(value) => Says::Read(value),
            Err(rusqlite::Error::QueryReturnedNoRows) => Says::Absent,
            Err(_) if !matches!(self.reader.is_unmoved(), Ok(true)) => Says::Unreadable(Why::Changed),
            Err(error) => Says::Unreadable(why(&error)),
        }
    }
}

fn refused<T>(error: &StoreError) -> Says<T> {
    match error {
        StoreError::Io { source, .. } => std::io::Error::new(source.kind(), source.to_string()).into(),
        StoreError::NotADatabase { .. } => {
            Says::Unreadable(Why::Damaged("file is not a database".to_owned()))
        }
        StoreError::Moved { .. } => Says::Unreadable(Why::Changed),
        StoreError::Held { .. } => Says::Unreadable(Why::Busy),
        StoreError::Sqlite { source, .. } => Says::Unreadable(why(source)),
        _ => Says::Unreadable(Why::Failed(error.to_string())),
    }
}

fn why(error: &rusqlite::Error) -> Why {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Why::Damaged(error.to_string()),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Why::Busy,
        _ => Why::Failed(error.to_string()),
    }
}
