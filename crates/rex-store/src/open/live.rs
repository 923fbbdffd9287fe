//! Opens a store for the application that runs on it.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::absolute;
use crate::error::{Doing, StoreError};

/// A store in use: WAL, foreign keys on, waits for other writers.
#[derive(Debug)]
pub struct Live {
    connection: Connection,
}

impl Live {
    /// Opens an existing store of version 91 for reading and writing, and sets it to WAL.
    ///
    /// # Errors
    /// [`StoreError::Version`] if it is at another version (nothing is then written), [`StoreError::Sqlite`].
    pub fn open(path: &Path, busy_timeout: Duration) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(absolute(path)?, flags).doing("open the store")?;
        connection.busy_timeout(busy_timeout).doing("open the store")?;
        let found = connection
            .query_row("PRAGMA user_version", [], |row| row.get(0))
            .doing("read the store's version")?;
        if found != 91 {
            return Err(StoreError::Version { found, wanted: 91 });
        }
        connection
            .query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
            .doing("set the store to WAL")?;
        // Otherwise SQLite drops the plan of a cached statement whenever a value is bound that the planner looked at.
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
            .doing("open the store")?;
        connection
            .execute_batch("PRAGMA foreign_keys = ON")
            .doing("open the store")?;
        Ok(Self { connection })
    }

    /// The connection.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(crate) fn into_connection(self) -> Connection {
        self.connection
    }
}
