//! The store, held by this process alone until it is dropped.

use std::fs::File;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;
use std::sync::Arc;

use rex_store::open::Upgrader;
use rusqlite::Connection;

use crate::error::MigrateError;
use crate::files::Files;
use crate::progress::{Progress, TICK_INSTRUCTIONS};

/// How much a transaction must survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// A power cut: the journal, the store and the journal's removal are synced, in this order.
    Kept,
    /// Nothing: the file is thrown away.
    ThrownAway,
}

/// A locked store inside a transaction.
pub(crate) struct Lock {
    // Dropped first. Closing any handle of a file drops every lock that SQLite has on it, so the handle below is
    // opened before the lock is taken and closed after it is given back.
    upgrader: Upgrader,
    file: File,
}

impl Lock {
    /// Locks a store and begins the transaction. Changes nothing, save that a WAL is worked into the file.
    ///
    /// # Errors
    /// [`MigrateError::Unreadable`] when another process holds it or it cannot be opened; [`MigrateError::File`].
    pub(crate) fn acquire(
        store: &Path,
        files: &dyn Files,
        durability: Durability,
        cache_bytes: u32,
    ) -> Result<Self, MigrateError> {
        let file = files.open(store).map_err(MigrateError::file("open", store))?;
        let upgrader = Upgrader::open(store).map_err(MigrateError::Unreadable)?;
        let synchronous = match durability {
            Durability::Kept => "EXTRA",
            Durability::ThrownAway => "OFF",
        };
        let cache_kib = cache_bytes / 1024;
        let begin =
            format!("PRAGMA synchronous = {synchronous}; PRAGMA cache_size = -{cache_kib}; BEGIN EXCLUSIVE;");
        match upgrader.connection().execute_batch(&begin) {
            Ok(()) => Ok(Self { upgrader, file }),
            Err(source) => Err(MigrateError::Unreadable(upgrader.blame(source, "lock the store"))),
        }
    }

    pub(crate) fn connection(&self) -> &Connection {
        self.upgrader.connection()
    }

    /// The handle to read the store's bytes from while it is locked.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Lets long statements give a sign of life.
    ///
    /// # Errors
    /// [`MigrateError::Sqlite`].
    pub(crate) fn tell(&mut self, progress: Arc<dyn Progress>) -> Result<(), MigrateError> {
        let tick = move || {
            progress.tick();
            false
        };
        self.upgrader
            .connection_mut()
            .progress_handler(TICK_INSTRUCTIONS, Some(tick))
            .map_err(MigrateError::sqlite("install the progress handler"))
    }

    /// Makes everything since the lock true. Afterwards others may have the store again.
    ///
    /// # Errors
    /// SQLite's own: the caller must find out which of the two states the store is in.
    pub(crate) fn commit(&self) -> rusqlite::Result<()> {
        // In exclusive mode a commit only empties the journal and leaves the file beside the store.
        self.connection()
            .execute_batch("PRAGMA locking_mode = NORMAL; COMMIT;")
    }

    /// Takes everything since the lock back.
    ///
    /// # Errors
    /// [`MigrateError::Sqlite`]: the journal then stays, and the next open takes the change back.
    pub(crate) fn roll_back(&self) -> Result<(), MigrateError> {
        if self.connection().is_autocommit() {
            return Ok(());
        }
        self.connection()
            .execute_batch("PRAGMA locking_mode = NORMAL; ROLLBACK;")
            .map_err(MigrateError::sqlite("roll back"))
    }

    /// Sets the journal mode back to the one that the store had. Outside a transaction only.
    ///
    /// # Errors
    /// [`MigrateError::Store`]; the store then stays in the mode `DELETE`, which every program can use.
    pub(crate) fn restore_journal_mode(&self) -> Result<(), MigrateError> {
        Ok(self.upgrader.restore_journal_mode()?)
    }
}

/// What tells whether a file has changed: SQLite's header holds a change counter, the system the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    inode: (u64, u64),
    bytes: u64,
    modified: (i64, i64),
    header: [u8; 100],
}

impl Fingerprint {
    /// The file's size.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads an open file's fingerprint without moving its cursor.
    ///
    /// # Errors
    /// [`MigrateError::File`].
    pub(crate) fn take(file: &File, path: &Path) -> Result<Self, MigrateError> {
        let read = || {
            let metadata = file.metadata()?;
            let mut header = [0; 100];
            // A file shorter than a header is no database: its size then tells enough.
            if metadata.len() >= 100 {
                file.read_exact_at(&mut header, 0)?;
            }
            Ok(Self {
                inode: (metadata.dev(), metadata.ino()),
                bytes: metadata.len(),
                modified: (metadata.mtime(), metadata.mtime_nsec()),
                header,
            })
        };
        read().map_err(MigrateError::file("read", path))
    }
}
