//! A store of version 91 in use: one writer, any number of readers, each a type of its own.

pub(super) mod announce;
pub(super) mod append;
pub(super) mod create_bot;
pub(super) mod delete;
pub(super) mod end;
pub(super) mod fork;
pub(super) mod host;
pub(super) mod line;
pub(super) mod list;
pub(super) mod node;
pub(super) mod park;
pub(super) mod quote;
pub(super) mod recover;
pub(super) mod start;
pub(super) mod submit;
pub(super) mod take_in;
pub(super) mod transaction;
pub(super) mod wait;
pub(super) mod withdraw;

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::message::MessageStatus;
use super::statement::STATEMENTS;
use super::turn::RunStatus;
use crate::error::{Doing, StoreError};
use crate::open::Live;

/// Reads a store that may be written to meanwhile. Each call sees one moment; none writes.
#[derive(Debug)]
pub struct LiveReader {
    connection: Connection,
}

impl LiveReader {
    /// Opens a store that an application has open, for reading only.
    ///
    /// # Errors
    /// [`StoreError::Sqlite`] if it is not there.
    pub fn open(path: &Path, busy_timeout: Duration) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).doing("open the store")?;
        connection.busy_timeout(busy_timeout).doing("open the store")?;
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
            .doing("open the store")?;
        Ok(Self::over(connection))
    }

    fn over(connection: Connection) -> Self {
        let statements = STATEMENTS.iter().map(|part| part.len()).sum();
        connection.set_prepared_statement_cache_capacity(statements);
        Self { connection }
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }
}

/// Writes a store, one operation at a time; each is one transaction unless it says otherwise.
#[derive(Debug)]
pub struct LiveWriter {
    reader: LiveReader,
    slots: u32,
    is_dead: bool,
}

impl LiveWriter {
    /// Makes a live store writable under the rules of version 91. At most `slots` runs go at a time; one that is
    /// parked needs no slot.
    pub fn new(live: Live, slots: u32) -> Self {
        Self {
            reader: LiveReader::over(live.into_connection()),
            slots,
            is_dead: false,
        }
    }

    /// What a reader of the same store can ask.
    pub fn read(&self) -> &LiveReader {
        &self.reader
    }

    /// The connection, for counters and hooks; what is written through it is under no rule.
    pub fn connection(&mut self) -> &mut Connection {
        &mut self.reader.connection
    }
}
