//! Opens a store for an upgrade: nobody else may have it, and no WAL is written.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::{absolute, holders};
use crate::error::{Doing, StoreError};

/// A store opened to be changed as a whole: exclusive lock mode, rollback journal, foreign keys off.
#[derive(Debug)]
pub struct Upgrader {
    connection: Connection,
    path: PathBuf,
    journal_mode_found: String,
}

impl Upgrader {
    /// Opens an existing store, remembers its journal mode and sets it to `DELETE`, which works a WAL into the file.
    /// From its first transaction on, the connection keeps every lock until it is closed.
    ///
    /// # Errors
    /// [`StoreError::Held`] if another process has the store open, [`StoreError::NotADatabase`], [`StoreError::Sqlite`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, |path, flags| Connection::open_with_flags(path, flags))
    }

    /// Opens the store through the VFS of that name, as [`Upgrader::open`] does.
    ///
    /// # Errors
    /// As [`Upgrader::open`].
    pub fn open_on(path: &Path, vfs: &str) -> Result<Self, StoreError> {
        Self::open_with(path, |path, flags| {
            Connection::open_with_flags_and_vfs(path, flags, vfs)
        })
    }

    fn open_with(
        path: &Path,
        open: impl FnOnce(&Path, OpenFlags) -> rusqlite::Result<Connection>,
    ) -> Result<Self, StoreError> {
        let path = absolute(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = open(&path, flags).doing("open the store")?;
        // Somebody who holds it is named at once; waiting is the caller's decision.
        connection
            .busy_timeout(std::time::Duration::ZERO)
            .doing("open the store")?;
        let mut upgrader = Self {
            connection,
            path,
            journal_mode_found: String::new(),
        };
        match upgrader.take_over() {
            Ok(journal_mode) => upgrader.journal_mode_found = journal_mode,
            Err(source) => return Err(upgrader.blame(source, "take the store over")),
        }
        Ok(upgrader)
    }

    fn take_over(&self) -> rusqlite::Result<String> {
        // Foreign keys first: inside a transaction the switch does nothing. Exclusive before the first read: a WAL
        // then needs no -shm.
        self.connection
            .execute_batch("PRAGMA foreign_keys = OFF; PRAGMA locking_mode = EXCLUSIVE;")?;
        let found = self
            .connection
            .query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
        self.connection
            .query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
        Ok(found)
    }

    /// The connection.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The connection, for the hooks that need it whole.
    pub fn connection_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// The journal mode that the store had, in SQLite's words: `wal`, `delete`, `truncate`, `persist`, …
    pub fn journal_mode_found(&self) -> &str {
        &self.journal_mode_found
    }

    /// Sets the journal mode back to the one found, if it is one that a file remembers. Call it outside a transaction.
    ///
    /// # Errors
    /// [`StoreError::Sqlite`].
    pub fn restore_journal_mode(&self) -> Result<(), StoreError> {
        if self.journal_mode_found != "wal" {
            return Ok(());
        }
        self.connection
            .query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
            .doing("go back to WAL")
    }

    /// Turns an error of this connection into ours: a lock that another process has becomes [`StoreError::Held`].
    pub fn blame(&self, source: rusqlite::Error, doing: &'static str) -> StoreError {
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy) => StoreError::Held {
                path: self.path.clone(),
                holders: holders(&self.path),
            },
            Some(ErrorCode::NotADatabase) => StoreError::NotADatabase {
                path: self.path.clone(),
            },
            _ => StoreError::Sqlite { doing, source },
        }
    }
}
