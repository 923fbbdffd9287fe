//! The engine: look, lock, look again, back up, apply, prove, commit; whatever fails, the store is as it was.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rex_store::open::Reader;

use crate::apply::{self, Applied};
use crate::backup;
use crate::clock::{Clock, Meter, Spent, SystemClock};
use crate::error::MigrateError;
use crate::family::Family;
use crate::files::{Files, SystemFiles};
use crate::lock::{Durability, Fingerprint, Lock};
use crate::look::{self, Depth, Found, Look};
use crate::progress::{Progress, Silent};
use crate::receipt::{self, BackupRecord, Receipt};
use crate::space;
use crate::step::Options;

/// The page cache of an upgrade. SQLite's sorter may take as much again while an index is built, and both together
/// must stay well under 128 MiB.
pub const CACHE_BYTES: u32 = 40 << 20;

/// Upgrades the stores of one family.
pub struct Engine<'a> {
    /// What is upgraded.
    pub family: Family<'a>,
    /// The file operations beside SQLite's.
    pub files: &'a dyn Files,
    /// Time, and use of the machine.
    pub clock: &'a dyn Clock,
    /// Told how far the work is.
    pub progress: Arc<dyn Progress>,
    /// A folder for private copies.
    pub scratch: PathBuf,
    /// The page cache of an upgrade, [`CACHE_BYTES`] unless there is a reason.
    pub cache_bytes: u32,
}

/// What to do with a store that has been looked at.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where the upgraded store is to be.
    pub target: Target,
    /// What the steps are allowed; the same as in the look.
    pub options: Options,
    /// Rewrite the file without free pages afterwards.
    pub compact: bool,
}

/// Where the upgraded store is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Where the old one is.
    InPlace(Keep),
    /// In a new file; the store is left alone.
    Elsewhere(PathBuf),
    /// Nowhere: on a private copy that is thrown away.
    Nowhere,
}

/// Whether to keep a copy of the store as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Beside it, under [`backup::path_beside`]'s name.
    Beside,
    /// Under this name.
    At(PathBuf),
    /// No copy.
    Nothing,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Done {
    /// The store is at the newest version already; nothing was written.
    NothingToDo,
    /// The store was upgraded.
    Upgraded(Box<Upgraded>),
}

/// An upgrade that was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Upgraded {
    /// What was done and what it cost.
    pub receipt: Receipt,
    /// Where the receipt was written, if it was.
    pub receipt_path: Option<PathBuf>,
    /// What did not go well after the commit, one line each; the store is upgraded and whole all the same.
    pub notes: Vec<String>,
}

impl<'a> Engine<'a> {
    /// The engine with the system's files and clock, that tells nobody how far it is.
    pub fn new(family: Family<'a>, scratch: &Path) -> Self {
        Self {
            family,
            files: &SystemFiles,
            clock: &SystemClock,
            progress: Arc::new(Silent),
            scratch: scratch.to_owned(),
            cache_bytes: CACHE_BYTES,
        }
    }

    /// Looks at a store: what it is, what is to be done, every reason not to. Leaves no trace.
    ///
    /// # Errors
    /// [`MigrateError::Unreadable`] when it cannot be read or keeps changing.
    pub fn look(&self, store: &Path, options: &Options, depth: Depth) -> Result<Look, MigrateError> {
        look::look(self, store, options, depth)
    }

    /// Upgrades a store that has been looked at with [`Depth::Full`].
    ///
    /// No other connection to the store may be open in this process: closing one would drop the lock.
    ///
    /// # Errors
    /// Any [`MigrateError`]; the store is then as it was, save for [`MigrateError::Commit`], which says what it is.
    pub fn up(&self, look: &Look, request: &Request) -> Result<Done, MigrateError> {
        if !look.refusals.is_empty() {
            return Err(MigrateError::Refused {
                refusals: look.refusals.clone(),
            });
        }
        let Some(found) = look.found.as_ref().filter(|found| !found.steps.is_empty()) else {
            return Ok(Done::NothingToDo);
        };
        let upgraded = match &request.target {
            Target::InPlace(keep) => self.in_place(look, found, request, keep)?,
            Target::Elsewhere(target) => Some(self.elsewhere(look, found, request, target)?),
            Target::Nowhere => Some(self.nowhere(look, found, request)?),
        };
        Ok(upgraded.map_or(Done::NothingToDo, |upgraded| Done::Upgraded(Box::new(upgraded))))
    }

    fn in_place(
        &self,
        look: &Look,
        found: &Found,
        request: &Request,
        keep: &Keep,
    ) -> Result<Option<Upgraded>, MigrateError> {
        let meter = Meter::start(self.clock);
        let beside = backup::path_beside(&look.store, found.version, meter.started);
        let (backup, receipt_path) = match keep {
            Keep::Beside => (Some(beside.as_path()), Receipt::path_beside(&beside)),
            Keep::At(path) => (Some(path.as_path()), Receipt::path_beside(path)),
            Keep::Nothing => (None, Receipt::path_beside(&beside)),
        };
        let names = || backup.into_iter().chain([receipt_path.as_path()]);
        if *keep != Keep::Beside {
            refuse_occupied(names())?;
        }
        space::check(&space::needs(&look.store, look.bytes, backup), self.files)?;
        let held = Lock::acquire(&look.store, self.files, Durability::Kept, self.cache_bytes)?;
        let again = match self.look_again(&held, look, found, request) {
            Ok(again) => again,
            Err(error) => return Err(self.undo(&held, None, error)),
        };
        let Some(found) = again else {
            held.roll_back()?;
            held.restore_journal_mode()?;
            return Ok(None);
        };
        // Names that hold the time can be taken only by another start in the same second: it is held or done by now.
        if let Err(error) = refuse_occupied(names()) {
            return Err(self.undo(&held, None, error));
        }
        let backup = match backup.map(|path| backup::take(held.file(), path, self.files, &*self.progress)) {
            None => None,
            Some(Ok(record)) => Some(record),
            Some(Err(error)) => return Err(self.undo(&held, None, error)),
        };
        let job = Job {
            store: &look.store,
            found: &found,
            request,
            backup,
            receipt_path: Some(&receipt_path),
        };
        let (mut upgraded, held) = self.transform(held, &job, &meter)?;
        drop(held);
        self.file_receipt(&mut upgraded, &receipt_path, look, &meter);
        Ok(Some(upgraded))
    }

    /// What was seen must still be so. A store in WAL mode has just been given another journal mode, which changes
    /// the file: then everything is looked at again. `None` when another process has done the upgrade meanwhile.
    fn look_again(
        &self,
        held: &Lock,
        look: &Look,
        found: &Found,
        request: &Request,
    ) -> Result<Option<Found>, MigrateError> {
        if look.depth == Depth::Full && Fingerprint::take(held.file(), &look.store)? == look.fingerprint {
            return Ok(Some(found.clone()));
        }
        self.progress.begin("looking again", 0, "");
        let (found, refusals) =
            look::inspect(held.connection(), &self.family, &request.options, Depth::Full)?;
        if !refusals.is_empty() {
            return Err(MigrateError::Refused { refusals });
        }
        Ok(Some(found).filter(|found| !found.steps.is_empty()))
    }

    /// Applies, proves and commits under a lock.
    pub(crate) fn transform(
        &self,
        mut held: Lock,
        job: &Job<'_>,
        meter: &Meter<'_>,
    ) -> Result<(Upgraded, Lock), MigrateError> {
        let drafted = held.tell(Arc::clone(&self.progress)).and_then(|()| {
            let applied = apply::apply(self, held.connection(), job.found, &job.request.options)?;
            let receipt = job.receipt(applied, meter);
            if let (Some(path), Some(_)) = (job.receipt_path, &job.backup) {
                receipt.write_draft(path, self.files)?;
            }
            Ok(receipt)
        });
        let receipt = match drafted {
            Ok(receipt) => receipt,
            Err(error) => return Err(self.undo(&held, Some(job), error)),
        };
        self.progress.begin("commit", 0, "");
        if let Err(source) = held.commit() {
            return Err(self.after_failed_commit(held, job, source));
        }
        let mut notes = Vec::new();
        if job.request.compact {
            self.progress.begin("compact", 0, "");
            let compacted = held.connection().execute_batch("VACUUM");
            notes.extend(
                compacted
                    .err()
                    .map(|error| format!("the store was not compacted: {error}")),
            );
        }
        notes.extend(
            held.restore_journal_mode()
                .err()
                .map(|error| format!("the journal mode is now DELETE: {error}")),
        );
        Ok((
            Upgraded {
                receipt,
                receipt_path: None,
                notes,
            },
            held,
        ))
    }

    /// Takes everything back, and the backup with it: the store itself is again what the backup holds. When SQLite
    /// cannot roll back now, the journal stays for the next open, and so does the backup.
    fn undo(&self, held: &Lock, job: Option<&Job<'_>>, error: MigrateError) -> MigrateError {
        if held.roll_back().is_ok() {
            // The first failure is the one to report.
            let _left_in_delete = held.restore_journal_mode();
            self.discard_backup(job);
        }
        error
    }

    fn discard_backup(&self, job: Option<&Job<'_>>) {
        let Some((job, record)) = job.and_then(|job| Some((job, job.backup.as_ref()?))) else {
            return;
        };
        let _unremoved = self.files.remove(&record.path);
        if let Some(draft) = job
            .receipt_path
            .map(receipt::draft_path)
            .filter(|draft| draft.exists())
        {
            let _unremoved = self.files.remove(&draft);
        }
    }

    /// A failed COMMIT has usually been rolled back, but when only the last sync of the folder failed, it is done:
    /// the file is asked what it holds.
    fn after_failed_commit(&self, held: Lock, job: &Job<'_>, source: rusqlite::Error) -> MigrateError {
        let rolled_back = held.roll_back();
        drop(held);
        let now = seen_now(self, job.store);
        let version = now.as_ref().map(|found| found.version);
        let is_old = now.is_some_and(|now| now.version == job.found.version && !now.steps.is_empty());
        if rolled_back.is_ok() && is_old {
            self.discard_backup(Some(job));
            return MigrateError::Sqlite {
                doing: "commit",
                source,
            };
        }
        MigrateError::Commit {
            store: job.store.to_owned(),
            version,
            source,
        }
    }

    /// Writes the receipt of what is done; that it cannot be written does not undo it.
    pub(crate) fn file_receipt(&self, upgraded: &mut Upgraded, path: &Path, look: &Look, meter: &Meter<'_>) {
        meter.fill(&mut upgraded.receipt, &look.spent);
        match upgraded.receipt.write(path, self.files) {
            Ok(()) => upgraded.receipt_path = Some(path.to_owned()),
            Err(error) => upgraded
                .notes
                .push(format!("the receipt was not written: {error}")),
        }
    }
}

/// One upgrade of one file.
pub(crate) struct Job<'a> {
    /// The file as the receipt names it.
    pub(crate) store: &'a Path,
    pub(crate) found: &'a Found,
    pub(crate) request: &'a Request,
    pub(crate) backup: Option<BackupRecord>,
    pub(crate) receipt_path: Option<&'a Path>,
}

impl Job<'_> {
    fn receipt(&self, applied: Applied, meter: &Meter<'_>) -> Receipt {
        let steps = &self.found.steps;
        let mut receipt = Receipt {
            schema: receipt::SCHEMA.to_owned(),
            store: self.store.to_owned(),
            from: self.found.version,
            to: self.found.to,
            steps: steps.iter().map(|step| step.id.to_owned()).collect(),
            tables: applied.tables,
            report: applied.report,
            seconds: 0.0,
            cpu_seconds: None,
            bytes_written: None,
            peak_memory_bytes: None,
            backup: self.backup.clone(),
        };
        meter.fill(&mut receipt, &Spent::default());
        receipt
    }
}

/// What the next open of a store would find; `None` when it cannot be read.
fn seen_now(engine: &Engine<'_>, store: &Path) -> Option<Found> {
    let reader = Reader::open(store, &engine.scratch).ok()?;
    let seen = look::inspect(
        reader.connection(),
        &engine.family,
        &Options::default(),
        Depth::Header,
    );
    seen.ok().map(|(found, _)| found)
}

/// Never overwrites: whatever would be written must not be there yet.
///
/// # Errors
/// [`MigrateError::Occupied`].
pub(crate) fn refuse_occupied<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<(), MigrateError> {
    match paths.into_iter().find(|path| path.symlink_metadata().is_ok()) {
        Some(path) => Err(MigrateError::Occupied {
            path: path.to_owned(),
        }),
        None => Ok(()),
    }
}
