//! What an upgrade leaves behind to be checked: what was done, from what to what, and at which cost.

use std::path::{Path, PathBuf};

use rex_store::digest::TableDigest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::MigrateError;
use crate::files::Files;

/// The first member of every receipt.
pub const SCHEMA: &str = "rex-migrate.receipt/1";

/// The receipt of one upgrade.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Receipt {
    /// `rex-migrate.receipt/1`.
    pub schema: String,
    /// The upgraded file.
    #[serde(serialize_with = "crate::spelled::path")]
    #[schemars(with = "PathBuf")]
    pub store: PathBuf,
    /// The schema version before.
    pub from: i64,
    /// The schema version after.
    pub to: i64,
    /// The ids of the steps, in the order in which they ran.
    pub steps: Vec<String>,
    /// One entry per conserved fact and per table that no step touches.
    pub tables: Vec<TableProof>,
    /// What the steps report; for the daemon store `attribution` (counts) and `first` (the first numbers of each class).
    #[serde(flatten)]
    pub report: Map<String, Value>,
    /// Seconds from the look to the receipt, questions to a person not counted.
    pub seconds: f64,
    /// Seconds of CPU, user and system; null where the system does not tell.
    pub cpu_seconds: Option<f64>,
    /// Bytes this process wrote, backup, journal and temporary files included; null where the system does not tell.
    pub bytes_written: Option<u64>,
    /// The most memory that was resident at one time in this process; null where the system does not tell.
    pub peak_memory_bytes: Option<u64>,
    /// The backup; null when none was asked for.
    pub backup: Option<BackupRecord>,
}

/// One fact of the proof, which held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TableProof {
    /// The table.
    pub name: String,
    /// Rows the fact covers before.
    pub rows_before: u64,
    /// Rows the fact covers after.
    pub rows_after: u64,
    /// Order-free digest of those rows before: 32 hexadecimal digits.
    pub digest_before: String,
    /// The same after.
    pub digest_after: String,
    /// What was to be equal.
    pub rule: String,
}

/// Where the old content is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackupRecord {
    /// The backup.
    #[serde(serialize_with = "crate::spelled::path")]
    #[schemars(with = "PathBuf")]
    pub path: PathBuf,
    /// BLAKE3 of its bytes: 64 hexadecimal digits.
    pub digest: String,
    /// Whether it shares its blocks with the store as it was.
    pub reflink: bool,
}

impl TableProof {
    pub(crate) fn new(name: &str, before: TableDigest, after: TableDigest, rule: &str) -> Self {
        Self {
            name: name.to_owned(),
            rows_before: before.rows,
            rows_after: after.rows,
            digest_before: before.to_string(),
            digest_after: after.to_string(),
            rule: rule.to_owned(),
        }
    }

    /// The same fact, held against other rows after.
    pub(crate) fn with_after(&self, after: TableDigest) -> Self {
        Self {
            rows_after: after.rows,
            digest_after: after.to_string(),
            ..self.clone()
        }
    }

    /// Whether the fact holds.
    pub fn holds(&self) -> bool {
        self.rows_before == self.rows_after && self.digest_before == self.digest_after
    }
}

impl Receipt {
    /// The receipt's path: the backup's name (or, without a backup, the name it would have had) and `.receipt.json`.
    pub fn path_beside(backup: &Path) -> PathBuf {
        let mut name = backup.as_os_str().to_owned();
        name.push(".receipt.json");
        PathBuf::from(name)
    }

    /// The receipt of an upgrade that had nothing to do.
    pub fn of_nothing(store: &Path, version: i64) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            store: store.to_owned(),
            from: version,
            to: version,
            steps: Vec::new(),
            tables: Vec::new(),
            report: Map::new(),
            seconds: 0.0,
            cpu_seconds: None,
            bytes_written: None,
            peak_memory_bytes: None,
            backup: None,
        }
    }

    /// The receipt of a backup, or the draft that a crash left of it; `None` when there is neither.
    pub fn of_backup(backup: &Path) -> Option<PathBuf> {
        let receipt = Self::path_beside(backup);
        let draft = draft_path(&receipt);
        [receipt, draft].into_iter().find(|path| path.is_file())
    }

    /// Reads a receipt.
    ///
    /// # Errors
    /// [`MigrateError::File`] when there is none, [`MigrateError::Receipt`] when it is something else.
    pub fn read(path: &Path) -> Result<Self, MigrateError> {
        let text = std::fs::read(path).map_err(MigrateError::file("read", path))?;
        serde_json::from_slice(&text).map_err(|source| MigrateError::Receipt {
            path: path.to_owned(),
            source,
        })
    }

    /// Writes the receipt under a name that is free or its own, whole or not at all.
    ///
    /// # Errors
    /// [`MigrateError::File`].
    pub fn write(&self, path: &Path, files: &dyn Files) -> Result<(), MigrateError> {
        let part = draft_path(path);
        self.write_draft(path, files)?;
        files
            .replace(&part, path)
            .map_err(MigrateError::file("name", path))?;
        let folder = crate::backup::folder_of(path);
        files
            .sync_folder(folder)
            .map_err(MigrateError::file("sync", folder))
    }

    /// Writes the receipt under its draft's name, which a restore knows to look for: a crash between the commit and
    /// the receipt must not leave a backup that nothing vouches for.
    pub(crate) fn write_draft(&self, path: &Path, files: &dyn Files) -> Result<(), MigrateError> {
        let part = draft_path(path);
        let mut text = serde_json::to_vec_pretty(self).map_err(|source| MigrateError::Receipt {
            path: path.to_owned(),
            source,
        })?;
        text.push(b'\n');
        if part.exists() {
            files.remove(&part).map_err(MigrateError::file("remove", &part))?;
        }
        let file = files.create(&part).map_err(MigrateError::file("create", &part))?;
        files
            .write(&file, &text)
            .map_err(MigrateError::file("write", &part))?;
        files.sync(&file).map_err(MigrateError::file("sync", &part))
    }
}

/// The name under which a receipt lies until the commit.
pub(crate) fn draft_path(receipt: &Path) -> PathBuf {
    let mut name = receipt.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}
