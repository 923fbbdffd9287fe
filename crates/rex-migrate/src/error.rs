//! Everything that can keep an upgrade from being done, with the one thing to do next.

use std::io;
use std::path::{Path, PathBuf};

use rex_store::error::StoreError;

use crate::step::{Refusal, StepError};

/// Why the engine did not do what it was asked.
///
/// [`Display`](std::fmt::Display) is one lower-case line without the source's text; [`MigrateError::hint`] is apart.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MigrateError {
    /// The store is not upgraded as it is; nothing has changed.
    #[error("{}", Refusal::line(refusals))]
    Refused {
        /// Every reason found, never empty.
        refusals: Vec<Refusal>,
    },
    /// The store cannot be read or locked, or another process holds it; nothing has changed.
    #[error(transparent)]
    Unreadable(StoreError),
    /// A file that would be written is there already; nothing has changed.
    #[error("{} is there already", path.display())]
    Occupied {
        /// The file.
        path: PathBuf,
    },
    /// The disk is too small; nothing has changed.
    #[error("{} has {free_bytes} bytes free, {needed_bytes} are needed", folder.display())]
    NoSpace {
        /// Where the space is needed.
        folder: PathBuf,
        /// What is needed at most.
        needed_bytes: u64,
        /// What there is.
        free_bytes: u64,
    },
    /// The backup does not hold what the store held; the store has not changed.
    #[error("the backup {} differs from the store", backup.display())]
    BackupDiffers {
        /// The backup, removed again.
        backup: PathBuf,
    },
    /// The proof found rows lost, changed or added; rolled back.
    #[error("{table}: {rows_before} rows became {rows_after}, and their content is not equal ({rule})")]
    Unproven {
        /// The table the broken fact is filed under.
        table: String,
        /// Rows before.
        rows_before: u64,
        /// Rows after.
        rows_after: u64,
        /// The fact that was declared.
        rule: String,
    },
    /// A table came or went and no fact says so; rolled back.
    #[error("{table} {event}, and no fact of the step covers it")]
    Uncovered {
        /// The table.
        table: String,
        /// `appeared` or `disappeared`.
        event: &'static str,
    },
    /// Rows point to rows that are not there; rolled back.
    #[error("{table}: {rows} rows name a row of {parent} that is not there")]
    ForeignKeys {
        /// The table with the rows.
        table: String,
        /// The table they point to.
        parent: String,
        /// How many.
        rows: i64,
    },
    /// The upgraded schema is not a fresh store's; rolled back.
    #[error("the upgraded schema differs from a fresh one: {difference}")]
    Schema {
        /// The first difference.
        difference: String,
    },
    /// SQLite reported a failure of the commit itself; what the store holds now was looked up.
    #[error("the commit was reported as failed; {} is now at {}", store.display(), version_text(*version))]
    Commit {
        /// The store.
        store: PathBuf,
        /// The version that the next open will find; `None` when it could not be read.
        version: Option<i64>,
        /// SQLite's reason.
        #[source]
        source: rusqlite::Error,
    },
    /// There is no backup to work with; nothing has changed.
    #[error("no backup of {} was found", store.display())]
    NoBackup {
        /// The store.
        store: PathBuf,
    },
    /// A backup has no receipt that it could be held against; nothing has changed.
    #[error("{} has no receipt", backup.display())]
    NoReceipt {
        /// The backup.
        backup: PathBuf,
    },
    /// A backup is not what its receipt says; nothing has changed.
    #[error("{} does not have the digest that its receipt names", backup.display())]
    BackupDamaged {
        /// The backup.
        backup: PathBuf,
    },
    /// No single step leads from the backup to the store; nothing has changed.
    #[error("{} is at version {from}, and no step leads from there to {to}", backup.display())]
    NotItsBackup {
        /// The backup.
        backup: PathBuf,
        /// Its version.
        from: i64,
        /// The store's.
        to: i64,
    },
    /// A receipt cannot be understood; nothing has changed.
    #[error("{} is not a receipt", path.display())]
    Receipt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// A step could not do its work; rolled back.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The store could not be read in the middle of the work; rolled back.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// SQLite refused a statement of the engine; rolled back.
    #[error("cannot {doing}")]
    Sqlite {
        /// What was tried, as an infinitive.
        doing: &'static str,
        /// SQLite's reason.
        #[source]
        source: rusqlite::Error,
    },
    /// A file operation failed.
    #[error("cannot {doing} {}", path.display())]
    File {
        /// What was tried, as an infinitive.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
}

impl MigrateError {
    /// The one thing to do next, where there is one.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Refused { refusals } => return refusals.first().map(|refusal| refusal.hint.clone()),
            Self::Unreadable(source) | Self::Store(source) => return source.hint().map(str::to_owned),
            Self::Occupied { .. } => "move it away or name another path; nothing is ever overwritten",
            Self::NoSpace { .. } => "free some space, or put the backup elsewhere with --backup PATH",
            Self::BackupDiffers { .. } => "check the disk; nothing has changed",
            Self::Unproven { .. }
            | Self::Uncovered { .. }
            | Self::ForeignKeys { .. }
            | Self::Schema { .. } => {
                "the store is as it was; please report this with the output of `plan --full --json`"
            }
            Self::Commit { .. } => "check the disk, then run `rex-migrate verify` on the store",
            Self::NoBackup { .. } => "name the backup: rex-migrate restore STORE BACKUP",
            Self::NoReceipt { .. } => {
                "keep the receipt beside its backup, under the backup's name with .receipt.json"
            }
            Self::NotItsBackup { .. } => "name the backup that the upgrade of this store wrote",
            Self::BackupDamaged { .. } => "do not use it; try another backup",
            Self::Receipt { .. } => "restore the receipt that the upgrade wrote",
            Self::Step(_) => "the store is as it was; see the cause above",
            Self::Sqlite { source, .. } => return sqlite_hint(source).map(str::to_owned),
            Self::File { source, .. } => return file_hint(source.kind()).map(str::to_owned),
        };
        Some(hint.to_owned())
    }

    /// Wraps a failed file operation.
    pub(crate) fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| match source.kind() {
            io::ErrorKind::AlreadyExists => Self::Occupied { path },
            _ => Self::File { doing, path, source },
        }
    }

    /// Wraps a failed statement.
    pub(crate) fn sqlite(doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Self {
        move |source| Self::Sqlite { doing, source }
    }
}

fn version_text(version: Option<i64>) -> String {
    version.map_or_else(
        || "an unknown version".to_owned(),
        |version| format!("version {version}"),
    )
}

fn file_hint(kind: io::ErrorKind) -> Option<&'static str> {
    match kind {
        io::ErrorKind::NotFound => Some("check the path"),
        io::ErrorKind::PermissionDenied => Some("run as the user that owns the store and its folder"),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Some("free some space, or put the backup elsewhere with --backup PATH")
        }
        _ => None,
    }
}

fn sqlite_hint(source: &rusqlite::Error) -> Option<&'static str> {
    match source.sqlite_error_code()? {
        rusqlite::ErrorCode::DiskFull => Some("free some space; the store is as it was"),
        rusqlite::ErrorCode::ReadOnly
        | rusqlite::ErrorCode::CannotOpen
        | rusqlite::ErrorCode::PermissionDenied => Some("run as the user that owns the store and its folder"),
        rusqlite::ErrorCode::DatabaseCorrupt => {
            Some("restore a backup, or recover what is left with the sqlite3 shell's .recover")
        }
        _ => None,
    }
}
