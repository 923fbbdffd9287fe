//! Upgrades on a copy, of exactly what the look saw: into a new file, or to be thrown away.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rex_store::error::StoreError;
use rex_store::open::{Reader, holders};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value};
use tempfile::TempDir;

use crate::apply;
use crate::backup;
use crate::clock::Meter;
use crate::engine::{Engine, Job, Request, Upgraded, refuse_occupied};
use crate::error::MigrateError;
use crate::lock::{Durability, Lock};
use crate::look::{Found, Look};
use crate::progress::Progress;
use crate::receipt::Receipt;
use crate::space::{self, Need};
use crate::step::Options;

impl Engine<'_> {
    /// Upgrades into a new file, which has its name only once it is whole. The store is left alone.
    pub(crate) fn elsewhere(
        &self,
        look: &Look,
        found: &Found,
        request: &Request,
        target: &Path,
    ) -> Result<Upgraded, MigrateError> {
        let meter = Meter::start(self.clock);
        let target = std::path::absolute(target).map_err(MigrateError::file("find", target))?;
        let part = backup::with_suffix(&target, ".part");
        let receipt_path = Receipt::path_beside(&target);
        // A journal or a WAL that lies there already would be played into the new file.
        let leftovers = ["-wal", "-shm", "-journal"].map(|suffix| backup::with_suffix(&target, suffix));
        let names = [&target, &part, &receipt_path];
        refuse_occupied(names.into_iter().chain(&leftovers).map(PathBuf::as_path))?;
        space::check(&space::needs(&part, look.bytes, Some(&part)), self.files)?;
        let work = || {
            let mut upgraded = self.on_copy(look, found, request, &part, Durability::Kept, &meter)?;
            self.files
                .rename_new(&part, &target)
                .map_err(MigrateError::file("name", &target))?;
            let folder = backup::folder_of(&target);
            self.files
                .sync_folder(folder)
                .map_err(MigrateError::file("sync", folder))?;
            upgraded.receipt.store.clone_from(&target);
            Ok(upgraded)
        };
        match work() {
            Ok(mut upgraded) => {
                self.file_receipt(&mut upgraded, &receipt_path, look, &meter);
                Ok(upgraded)
            }
            Err(error) => {
                for suffix in ["", "-journal", "-wal"] {
                    // Not all of them are there, and the first failure is the one to report.
                    let _unremoved = self.files.remove(&backup::with_suffix(&part, suffix));
                }
                Err(error)
            }
        }
    }

    /// Upgrades a private copy and throws it away.
    pub(crate) fn nowhere(
        &self,
        look: &Look,
        found: &Found,
        request: &Request,
    ) -> Result<Upgraded, MigrateError> {
        let meter = Meter::start(self.clock);
        let folder = self.private_folder(look)?;
        let copy = folder.path().join("store");
        let mut upgraded = self.on_copy(look, found, request, &copy, Durability::ThrownAway, &meter)?;
        upgraded.receipt.store.clone_from(&look.called);
        meter.fill(&mut upgraded.receipt, &look.spent);
        Ok(upgraded)
    }

    /// Runs the steps on a private copy without the proof, and returns what they report.
    pub(crate) fn rehearse(
        &self,
        look: &Look,
        options: &Options,
    ) -> Result<Map<String, Value>, MigrateError> {
        let Some(found) = &look.found else {
            return Ok(Map::new());
        };
        let folder = self.private_folder(look)?;
        let copy = folder.path().join("store");
        self.copy_of(look, &copy)?;
        let mut held = Lock::acquire(&copy, self.files, Durability::ThrownAway, self.cache_bytes)?;
        held.tell(Arc::clone(&self.progress))?;
        apply::rehearse(self, held.connection(), found, options)
    }

    fn private_folder(&self, look: &Look) -> Result<TempDir, MigrateError> {
        space::check(
            &[Need {
                folder: &self.scratch,
                bytes: 2 * look.bytes,
            }],
            self.files,
        )?;
        tempfile::Builder::new()
            .prefix("rex-migrate-")
            .tempdir_in(&self.scratch)
            .map_err(MigrateError::file("create a folder in", &self.scratch))
    }

    fn on_copy(
        &self,
        look: &Look,
        found: &Found,
        request: &Request,
        copy: &Path,
        durability: Durability,
        meter: &Meter<'_>,
    ) -> Result<Upgraded, MigrateError> {
        self.copy_of(look, copy)?;
        let held = Lock::acquire(copy, self.files, durability, self.cache_bytes)?;
        let job = Job {
            store: copy,
            found,
            request,
            backup: None,
            receipt_path: None,
        };
        let (upgraded, held) = self.transform(held, &job, meter)?;
        drop(held);
        if durability == Durability::Kept {
            self.files
                .sync(&self.open(copy)?)
                .map_err(MigrateError::file("sync", copy))?;
        }
        Ok(upgraded)
    }

    /// Copies what the look saw.
    fn copy_of(&self, look: &Look, copy: &Path) -> Result<(), MigrateError> {
        let held = || {
            let holders = holders(&look.store);
            MigrateError::Unreadable(StoreError::Held {
                path: look.store.clone(),
                holders,
            })
        };
        let reader = look.reader.as_ref().ok_or_else(held)?;
        {
            let (from, to) = (self.open(&look.store)?, self.create(copy)?);
            self.files
                .keep_owner(&from, &to)
                .map_err(MigrateError::file("set the owner of", copy))?;
        }
        snapshot(reader, copy, &*self.progress)?;
        // What was read in place is only true if nobody has written since the look.
        if !reader.is_unmoved().map_err(MigrateError::Unreadable)? {
            return Err(held());
        }
        Ok(())
    }

    fn open(&self, path: &Path) -> Result<std::fs::File, MigrateError> {
        self.files.open(path).map_err(MigrateError::file("open", path))
    }

    fn create(&self, path: &Path) -> Result<std::fs::File, MigrateError> {
        self.files
            .create(path)
            .map_err(MigrateError::file("create", path))
    }
}

/// Pages copied between two signs of life: 4 MiB at the usual page size.
const PAGES: i32 = 1024;

/// Copies what a reader sees, a WAL's committed rows included, page by page.
fn snapshot(reader: &Reader, copy: &Path, progress: &dyn Progress) -> Result<(), MigrateError> {
    let run = || -> rusqlite::Result<()> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut target = Connection::open_with_flags(copy, flags)?;
        // Until it is whole the copy is nothing: it needs no journal and no sync.
        target.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")?;
        let backup = Backup::new(reader.connection(), &mut target)?;
        loop {
            let step = backup.step(PAGES)?;
            let pages = backup.progress();
            progress.at((pages.pagecount - pages.remaining) as u64);
            if step == StepResult::Done {
                return Ok(());
            }
        }
    };
    progress.begin("copy", 0, "pages");
    run().map_err(MigrateError::sqlite("copy the store"))
}
