//! Reads any SQLite file without leaving a trace beside it or in it.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::TempDir;

use super::sighting::{Sighting, beside, open_file};
use super::{absolute, io, overlay};
use crate::error::{Doing, StoreError};

/// A store that changes more often than this while it is read is not read.
const ATTEMPTS: u32 = 5;

/// Up to this size a store with a WAL is copied even where the file system cannot share the copy's blocks: a copy stays
/// as it was, and a store that is read in place may move.
const COPIED_BYTES: u64 = 64 << 20;

/// How a [`Reader`] came by its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The file itself, which nobody had open with anything pending: no `-wal` and no `-journal` that holds anything.
    Immutable,
    /// A private copy, into which the WAL or the journal was worked.
    Copied,
    /// The file itself and its WAL, both read in place: the store is large and its file system cannot clone it. Rows
    /// committed after the opening are not seen.
    Overlaid,
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
    /// the WAL included and unfinished changes taken back. A large store with a WAL is read in place instead.
    ///
    /// A process that has the store open otherwise must not call this: closing a file drops all locks that the process
    /// has on it.
    ///
    /// # Errors
    /// [`StoreError::NotAFile`], [`StoreError::NotADatabase`], [`StoreError::Moved`] if the store kept changing
    /// while it was copied, [`StoreError::Io`], [`StoreError::Sqlite`].
    pub fn open(path: &Path, scratch: &Path) -> Result<Self, StoreError> {
        Self::open_copying(path, scratch, COPIED_BYTES)
    }

    /// As [`Reader::open`], with another size up to which a store is copied byte by byte.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn open_copying(path: &Path, scratch: &Path, copied_bytes: u64) -> Result<Self, StoreError> {
        let source = std::fs::canonicalize(absolute(path)?).map_err(io("read", path))?;
        for _ in 0..ATTEMPTS {
            let sighting = Sighting::take(&source)?;
            let may_copy = sighting.has_journal() || sighting.bytes() <= copied_bytes;
            let copy = if sighting.is_plain() {
                None
            } else {
                copy_aside(&source, scratch, may_copy)?
            };
            let opened = open_seen(&source, &sighting, copy.as_ref(), path);
            // What was read of a store that moved meanwhile, an error included, says nothing.
            if Sighting::take(&source)? == sighting {
                let (connection, how) = opened?;
                return Ok(Self {
                    connection,
                    how,
                    source,
                    sighting,
                    _copy: copy,
                });
            }
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

fn open_seen(
    source: &Path,
    sighting: &Sighting,
    copy: Option<&TempDir>,
    named: &Path,
) -> Result<(Connection, How), StoreError> {
    if let Some(copy) = copy {
        let file = copied(copy);
        settle(&file, named)?;
        return Ok((open_immutable(&file, named)?, How::Copied));
    }
    if sighting.is_plain() {
        return Ok((open_immutable(source, named)?, How::Immutable));
    }
    let connection = overlay::open(source).doing("open the store in place")?;
    Ok((readable(connection, named)?, How::Overlaid))
}

fn copied(folder: &TempDir) -> PathBuf {
    folder.path().join("store")
}

/// Copies a store; `None` if its file system cannot clone files and copying all its bytes is not wanted.
fn copy_aside(source: &Path, scratch: &Path, may_copy: bool) -> Result<Option<TempDir>, StoreError> {
    let folder = tempfile::Builder::new()
        .prefix("rex-")
        .tempdir_in(scratch)
        .map_err(io("create a folder in", scratch))?;
    let copy = copied(&folder);
    // The database before its WAL: a checkpoint in between changes the database and is noticed, a commit in between
    // only makes the WAL longer, and a longer WAL fits the database as well.
    for suffix in ["", "-wal", "-journal"] {
        if let Some(from) = open_file(&beside(source, suffix))?
            && !copy_file(&from, &beside(&copy, suffix), may_copy || !suffix.is_empty())?
        {
            return Ok(None);
        }
    }
    Ok(Some(folder))
}

/// Clones a file, or else copies it; false if neither was done.
fn copy_file(mut from: &File, to: &Path, may_copy: bool) -> Result<bool, StoreError> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(to)
        .map_err(io("create", to))?;
    #[cfg(target_os = "linux")]
    if rustix::fs::ioctl_ficlone(&file, from).is_ok() {
        return Ok(true);
    }
    if may_copy {
        std::io::copy(&mut from, &mut file).map_err(io("copy to", to))?;
    }
    Ok(may_copy)
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
    readable(connection, named)
}

fn readable(connection: Connection, named: &Path) -> Result<Connection, StoreError> {
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
