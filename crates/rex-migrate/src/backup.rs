//! The copy of the store that is made under the lock, before anything changes.

use std::fs::File;
use std::io::{Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use blake3::{Hash, Hasher};
use jiff::Timestamp;

use crate::error::MigrateError;
use crate::files::Files;
use crate::progress::Progress;
use crate::receipt::BackupRecord;

const BUFFER_BYTES: usize = 1 << 20;

/// `STORE.backup-v90-YYYYMMDDTHHMMSSZ`, beside the store.
pub fn path_beside(store: &Path, version: i64, now: Timestamp) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(format!(".backup-v{version}-{}", stamp(now)));
    PathBuf::from(name)
}

/// The time as names of files spell it.
pub(crate) fn stamp(now: Timestamp) -> impl std::fmt::Display {
    now.strftime("%Y%m%dT%H%M%SZ")
}

/// The folder that holds a file's name.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A path with something more at its end.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Copies an open file whole to a new name and makes sure that the copy is on the disk and equal.
///
/// It is written under `PATH.part` first: whatever lies under the backup's own name is complete.
/// The source's handle is the caller's: closing any handle of a file drops the locks that SQLite has on it.
///
/// # Errors
/// [`MigrateError::Occupied`], [`MigrateError::File`], [`MigrateError::BackupDiffers`]; the part is removed again.
pub(crate) fn take(
    source: &File,
    path: &Path,
    files: &dyn Files,
    progress: &dyn Progress,
) -> Result<BackupRecord, MigrateError> {
    let part = with_suffix(path, ".part");
    let copy = files.create(&part).map_err(MigrateError::file("create", &part))?;
    let finished = fill(source, &copy, &part, files, progress).and_then(|record| {
        files
            .rename_new(&part, path)
            .map_err(MigrateError::file("name", path))?;
        Ok(BackupRecord {
            path: path.to_owned(),
            ..record
        })
    });
    if finished.is_err() {
        // The first failure is the one to report.
        let _unremoved = files.remove(&part);
    }
    let record = finished?;
    let folder = folder_of(path);
    files
        .sync_folder(folder)
        .map_err(MigrateError::file("sync", folder))?;
    Ok(record)
}

fn fill(
    source: &File,
    copy: &File,
    part: &Path,
    files: &dyn Files,
    progress: &dyn Progress,
) -> Result<BackupRecord, MigrateError> {
    let bytes = source
        .metadata()
        .map_err(MigrateError::file("read the size of", part))?
        .len();
    progress.begin("backup", 2 * bytes, "bytes");
    let reflink = files
        .reflink(source, copy)
        .map_err(MigrateError::file("write", part))?;
    let target = if reflink { None } else { Some(copy) };
    let wanted = pass(source, target, part, files, &|done| progress.at(done))?;
    files
        .keep_owner(source, copy)
        .map_err(MigrateError::file("set the owner of", part))?;
    files.sync(copy).map_err(MigrateError::file("sync", part))?;
    let found = pass(copy, None, part, files, &|done| progress.at(bytes + done))?;
    if wanted != found {
        return Err(MigrateError::BackupDiffers {
            backup: part.to_owned(),
        });
    }
    Ok(BackupRecord {
        path: part.to_owned(),
        digest: found.to_hex().to_string(),
        reflink,
    })
}

/// Digests a file, and writes it to another on the way: one pass for both.
fn pass(
    mut source: &File,
    target: Option<&File>,
    path: &Path,
    files: &dyn Files,
    at: &dyn Fn(u64),
) -> Result<Hash, MigrateError> {
    source
        .seek(SeekFrom::Start(0))
        .map_err(MigrateError::file("read", path))?;
    let (mut hasher, mut done) = (Hasher::new(), 0);
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let count = files
            .read(source, &mut buffer)
            .map_err(MigrateError::file("read", path))?;
        let bytes = buffer.get(..count).unwrap_or_default();
        if bytes.is_empty() {
            return Ok(hasher.finalize());
        }
        hasher.update(bytes);
        if let Some(target) = target {
            files
                .write(target, bytes)
                .map_err(MigrateError::file("write", path))?;
        }
        done += count as u64;
        at(done);
    }
}

/// BLAKE3 of a file's bytes: 64 hexadecimal digits.
///
/// # Errors
/// [`MigrateError::File`].
pub fn digest(path: &Path, files: &dyn Files) -> Result<String, MigrateError> {
    let file = files.open(path).map_err(MigrateError::file("open", path))?;
    Ok(pass(&file, None, path, files, &|_| ())?.to_hex().to_string())
}
