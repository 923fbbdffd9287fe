//! Puts a backup back in place and keeps the upgraded file aside.

use std::path::{Path, PathBuf};

use rex_store::error::StoreError;
use rex_store::open::holders;

use crate::backup;
use crate::engine::{Engine, refuse_occupied};
use crate::error::MigrateError;
use crate::lock::{Durability, Lock};
use crate::receipt::Receipt;
use crate::status;

/// What a restore did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The store, links resolved; it holds the backup's bytes.
    pub store: PathBuf,
    /// The backup, which stays.
    pub backup: PathBuf,
    /// Where the file that was in place lies now; `None` when there was none.
    pub aside: Option<PathBuf>,
}

impl Engine<'_> {
    /// Puts a backup (the newest beside the store unless one is named) back in place in one rename. The file that was
    /// there keeps its bytes under `STORE.upgraded-YYYYMMDDTHHMMSSZ`; nothing is overwritten.
    ///
    /// # Errors
    /// [`MigrateError::NoBackup`], [`MigrateError::NoReceipt`], [`MigrateError::BackupDamaged`];
    /// [`MigrateError::Unreadable`] when another process has the store open; [`MigrateError::File`].
    pub fn restore(&self, store: &Path, backup: Option<&Path>) -> Result<Restored, MigrateError> {
        let store = resolve(store)?;
        let backup = match backup {
            Some(backup) => backup.to_owned(),
            None => newest(&store)?,
        };
        let expected = expected_digest(&backup)?;
        if backup::digest(&backup, self.files)? != expected {
            return Err(MigrateError::BackupDamaged { backup });
        }
        let is_there = store.symlink_metadata().is_ok();
        let holders = holders(&store);
        if !holders.is_empty() {
            // A rename would not reach a process that has the file open: it would go on writing into the old one.
            return Err(MigrateError::Unreadable(StoreError::Held {
                path: store,
                holders,
            }));
        }
        let stamp = backup::stamp(self.clock.now());
        let aside = backup::with_suffix(&store, &format!(".upgraded-{stamp}"));
        let copy = backup::with_suffix(&store, &format!(".restoring-{stamp}"));
        refuse_occupied([aside.as_path(), copy.as_path()])?;
        let source = self
            .files
            .open(&backup)
            .map_err(MigrateError::file("open", &backup))?;
        let record = backup::take(&source, &copy, self.files, &*self.progress)?;
        let swapped = if record.digest == expected {
            self.swap(&store, &copy, &aside, is_there)
        } else {
            Err(MigrateError::BackupDamaged {
                backup: backup.clone(),
            })
        };
        if swapped.is_err() {
            // The first failure is the one to report.
            let _unremoved = self.files.remove(&copy);
        }
        swapped?;
        Ok(Restored {
            store,
            backup,
            aside: Some(aside).filter(|_| is_there),
        })
    }

    fn swap(&self, store: &Path, copy: &Path, aside: &Path, is_there: bool) -> Result<(), MigrateError> {
        if is_there {
            // A file that is no database any more cannot be locked; that is when a backup is needed most.
            let lock = match Lock::acquire(store, self.files, Durability::Kept, self.cache_bytes) {
                Err(MigrateError::Unreadable(StoreError::NotADatabase { .. })) => None,
                locked => Some(locked?),
            };
            self.move_aside(store, aside)?;
            self.files
                .replace(copy, store)
                .map_err(MigrateError::file("name", store))?;
            drop(lock);
        } else {
            self.files
                .rename_new(copy, store)
                .map_err(MigrateError::file("name", store))?;
        }
        let folder = backup::folder_of(store);
        self.files
            .sync_folder(folder)
            .map_err(MigrateError::file("sync", folder))
    }

    /// Gives the file in place a second name. A WAL or a journal that is still there belongs to it, and would be
    /// played into the restored store.
    fn move_aside(&self, store: &Path, aside: &Path) -> Result<(), MigrateError> {
        for suffix in ["-wal", "-journal", "-shm"] {
            let from = backup::with_suffix(store, suffix);
            if from.symlink_metadata().is_ok() {
                let to = backup::with_suffix(aside, suffix);
                self.files
                    .rename_new(&from, &to)
                    .map_err(MigrateError::file("move aside", &from))?;
            }
        }
        self.files
            .link(store, aside)
            .map_err(MigrateError::file("keep aside", store))
    }
}

/// The store's real path, also when the store itself is gone.
fn resolve(store: &Path) -> Result<PathBuf, MigrateError> {
    match std::fs::canonicalize(store) {
        Ok(path) => Ok(path),
        Err(_) => std::path::absolute(store).map_err(MigrateError::file("find", store)),
    }
}

fn newest(store: &Path) -> Result<PathBuf, MigrateError> {
    let found = status::backups(store)?.pop();
    found
        .map(|backup| backup.path)
        .ok_or_else(|| MigrateError::NoBackup {
            store: store.to_owned(),
        })
}

/// What the backup's receipt says its digest is.
fn expected_digest(backup: &Path) -> Result<String, MigrateError> {
    if !backup.is_file() {
        return Err(MigrateError::NoBackup {
            store: backup.to_owned(),
        });
    }
    let no_receipt = || MigrateError::NoReceipt {
        backup: backup.to_owned(),
    };
    let receipt = Receipt::read(&Receipt::of_backup(backup).ok_or_else(no_receipt)?)?;
    Ok(receipt.backup.ok_or_else(no_receipt)?.digest)
}
