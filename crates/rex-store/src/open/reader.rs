//! Reads any SQLite file without leaving a trace beside it or in it.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::TempDir;

use super::sighting::{Sighting, beside, open_file};
use super::{absolute, io};
use crate::error::{Doing, StoreError};

/// A store that changes more often than this while it is read is not read.
const ATTEMPTS: u32 = 5;

/// How a [`Reader`] came by its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The file itself, which nobody had open with anything pending: no `-wal` and no `-journal` that holds anything.
    Immutable,
    /// A private copy, into which the WAL or the journal was worked.
    Copied,
}

/// A store opened for reading only: no lock, no `-shm`, nothing created beside it, its time of change kept.
///
/// Temporary tables may be made; they are private.
#[derive(Debug)]
pub struct Reader {
    // Fields are dropped in this order: the connection must be closed before its copy is removed.
    connection: Connection,
    how: How,
    source: PathBuf,
    sighting: Sighting,
    _copy: Option<TempDir>,
}

impl Reader {
    /// Opens any SQLite file. Where a WAL or a journal holds something, the store is copied into a new folder in
    /// `scratch`, which is removed with the reader, and is then read as SQLite would read it, committed rows in
    /// the WAL included and unfinished changes taken back.
    ///
    /// # Errors
    /// [`StoreError::NotAFile`], [`StoreError::NotADatabase`], [`StoreError::Moved`] if the store kept changing
    /// while it was copied, [`StoreError::Io`], [`StoreError::Sqlite`].
    pub fn open(path: &Path, scratch: &Path) -> Result<Self, StoreError> {
        // Asked first: resolving does not mind what it resolves to.
        let source = std::fs::canonicalize(absolute(path)?).map_err(io("read", path))?;
        for _ in 0..ATTEMPTS {
            let sighting = Sighting::take(&source)?;
            let copy = if sighting.is_plain() {
                None
            } else {
                Some(copy_aside(&source, scratch)?)
            };
            if Sighting::take(&source)? != sighting {
                continue;
            }
            let how = if copy.is_some() {
                How::Copied
            } else {
                How::Immutable
            };
            let file = copy.as_ref().map_or_else(|| source.clone(), copied);
            if copy.is_some() {
                settle(&file, path)?;
            }
            let connection = open_immutable(&file, path)?;
            return Ok(Self {
                connection,
                how,
                source,
                sighting,
                _copy: copy,
            });
        }
        Err(StoreError::Moved {
            path: path.to_owned(),
            attempts: ATTEMPTS,
        })
    }

    /// The connection; SQLite refuses every write to the store through it.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// How the store is read.
    pub fn how(&self) -> How {
        self.how
    }

    /// Says whether what has been read is still true to one moment: always for a copy; for a file read in place only
    /// if nobody has written to it since it was opened. Ask after reading, also after an error.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the store cannot be looked at any more.
    pub fn is_unmoved(&self) -> Result<bool, StoreError> {
        Ok(self.how == How::Copied || Sighting::take(&self.source)? == self.sighting)
    }
}

fn copied(folder: &TempDir) -> PathBuf {
    folder.path().join("store")
}

fn copy_aside(source: &Path, scratch: &Path) -> Result<TempDir, StoreError> {
    let folder = tempfile::Builder::new()
        .prefix("rex-")
        .tempdir_in(scratch)
        .map_err(io("create a folder in", scratch))?;
    let copy = copied(&folder);
    // The database before its WAL: a checkpoint in between changes the database and is noticed, a commit in between
    // only makes the WAL longer, and a longer WAL fits the database as well.
    for suffix in ["", "-wal", "-journal"] {
        if let Some(from) = open_file(&beside(source, suffix))? {
            copy_file(&from, &beside(&copy, suffix))?;
        }
    }
    Ok(folder)
}

fn copy_file(mut from: &File, to: &Path) -> Result<(), StoreError> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(to)
        .map_err(io("create", to))?;
    #[cfg(target_os = "linux")]
    if rustix::fs::ioctl_ficlone(&file, from).is_ok() {
        return Ok(());
    }
    std::io::copy(&mut from, &mut file).map_err(io("copy to", to))?;
    Ok(())
}

/// Works a copy's WAL or journal into it, so that the file alone is the whole store.
fn settle(copy: &Path, named: &Path) -> Result<(), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(copy, flags).doing("open the copy")?;
    // A copy needs no durability.
    connection
        .execute_batch("PRAGMA synchronous = OFF")
        .doing("open the copy")?;
    let settled = connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()));
    settled.map_err(|source| unreadable(source, named, "recover the copy"))
}

fn open_immutable(file: &Path, named: &Path) -> Result<Connection, StoreError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(immutable_uri(file), flags).doing("open the store")?;
    // A store is data from elsewhere: its views and triggers may not call what could do harm.
    connection
        .execute_batch("PRAGMA trusted_schema = OFF")
        .doing("open the store")?;
    let readable = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    readable.map_err(|source| unreadable(source, named, "read the schema"))?;
    Ok(connection)
}

fn unreadable(source: rusqlite::Error, path: &Path, doing: &'static str) -> StoreError {
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::NotADatabase {
            path: path.to_owned(),
        },
        _ => StoreError::Sqlite { doing, source },
    }
}

/// Every byte that is not plain is encoded: `?`, `#` and `%` mean something in a URI, and a name need not be UTF-8.
fn immutable_uri(absolute_path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in absolute_path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            write!(uri, "%{byte:02x}").expect("a String takes every write");
        }
    }
    uri.push_str("?immutable=1");
    uri
}
