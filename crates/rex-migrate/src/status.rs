//! What a store is, without scanning a table: for a person who has just found it.

use std::path::{Path, PathBuf};

use rex_store::open::holders;
use schemars::JsonSchema;
use serde::Serialize;

use crate::backup::{folder_of, with_suffix};
use crate::engine::Engine;
use crate::error::MigrateError;
use crate::look::Depth;
use crate::receipt::Receipt;
use crate::step::{Options, Refusal};

/// What is known of a store from its header, its schema and its neighbours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Status {
    /// `rex-migrate.status/1`.
    pub schema: &'static str,
    /// The store, links resolved.
    #[serde(serialize_with = "crate::spelled::path")]
    #[schemars(with = "PathBuf")]
    pub store: PathBuf,
    /// What it is; null when it is refused as something else.
    pub kind: Option<String>,
    /// Its schema version; null when it is no database.
    pub version: Option<i64>,
    /// Size of the file.
    pub bytes: u64,
    /// Size of the `-wal` beside it, 0 without one.
    pub wal_bytes: u64,
    /// Size of the `-journal` beside it, 0 without one.
    pub journal_bytes: u64,
    /// The other processes that have it open, as far as the system tells.
    pub holders: Vec<HolderRecord>,
    /// The ids of the steps that `up` would run, in order.
    pub steps_pending: Vec<String>,
    /// The backups beside it, oldest first.
    pub backups: Vec<Backup>,
    /// Why `up` would refuse, as far as version and schema tell; `plan` looks further.
    pub refusals: Vec<Refusal>,
}

/// A process that has the store open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HolderRecord {
    /// Its process id.
    pub pid: u32,
    /// Its name; null where it may not be read.
    pub name: Option<String>,
}

/// A backup beside a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Backup {
    /// The backup.
    #[serde(serialize_with = "crate::spelled::path")]
    #[schemars(with = "PathBuf")]
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Its receipt; null when there is none, and then it cannot be restored.
    #[serde(serialize_with = "crate::spelled::optional")]
    #[schemars(with = "Option<PathBuf>")]
    pub receipt: Option<PathBuf>,
}

impl Engine<'_> {
    /// Says what a store is. Scans no table, leaves no trace.
    ///
    /// # Errors
    /// [`MigrateError::Unreadable`].
    pub fn status(&self, store: &Path, options: &Options) -> Result<Status, MigrateError> {
        let look = self.look(store, options, Depth::Header)?;
        let size =
            |suffix: &str| std::fs::metadata(with_suffix(&look.store, suffix)).map_or(0, |file| file.len());
        let holders = holders(&look.store);
        let steps = look.found.as_ref().map_or(&[][..], |found| &found.steps);
        Ok(Status {
            schema: "rex-migrate.status/1",
            kind: Some(self.family.name.to_owned()).filter(|_| look.is_of_family()),
            version: look.found.as_ref().map(|found| found.version),
            bytes: look.bytes,
            wal_bytes: size("-wal"),
            journal_bytes: size("-journal"),
            holders: holders
                .into_iter()
                .map(|holder| HolderRecord {
                    pid: holder.pid,
                    name: holder.name,
                })
                .collect(),
            steps_pending: steps.iter().map(|step| step.id.to_owned()).collect(),
            backups: backups(&look.store)?,
            refusals: look.refusals,
            store: look.store,
        })
    }
}

/// The backups beside a store, oldest first.
///
/// # Errors
/// [`MigrateError::File`] when the folder cannot be read.
pub fn backups(store: &Path) -> Result<Vec<Backup>, MigrateError> {
    let folder = folder_of(store);
    let mut prefix = store.file_name().unwrap_or_default().to_owned();
    prefix.push(".backup-v");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)
        .map_err(MigrateError::file("read the folder", folder))?
        .flatten()
    {
        let name = entry.file_name();
        let bytes = name.as_encoded_bytes();
        let is_other = [".part", ".json", "-wal", "-shm", "-journal"]
            .iter()
            .any(|end| bytes.ends_with(end.as_bytes()));
        if is_other || !bytes.starts_with(prefix.as_encoded_bytes()) {
            continue;
        }
        let path = entry.path();
        let receipt = Receipt::of_backup(&path);
        found.push(Backup {
            bytes: entry.metadata().map_or(0, |file| file.len()),
            path,
            receipt,
        });
    }
    // The names end in the time.
    found.sort_by_key(|backup| stamp(&backup.path));
    Ok(found)
}

/// What a backup's name says of its time.
fn stamp(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_str()?.rsplit('-').next()?.to_owned())
}
