//! What can be seen of a store from outside, to tell afterwards whether it changed meanwhile.

use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::io;
use crate::error::StoreError;

/// The database header: it holds the change counter, the page count and the version that wrote them.
const DATABASE_HEADER_BYTES: u64 = 100;
/// The WAL header: its salts change whenever the WAL starts anew.
const WAL_HEADER_BYTES: u64 = 32;
/// Of a journal's header only whether it is zero matters.
const JOURNAL_HEADER_BYTES: u64 = 28;

/// A store's three files at one moment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Sighting {
    database: Seen,
    /// Its size is not compared: commits that are appended while a copy is made do not hurt the copy.
    wal: Option<Vec<u8>>,
    journal: Option<Seen>,
}

#[derive(Debug, PartialEq, Eq)]
struct Seen {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    header: Vec<u8>,
}

impl Sighting {
    /// Looks at a store whose path has been resolved (SQLite puts `-wal` beside the real file, not beside a link).
    ///
    /// # Errors
    /// [`StoreError::NotAFile`], [`StoreError::Io`].
    pub(crate) fn take(real_path: &Path) -> Result<Self, StoreError> {
        let (metadata, header) = look(real_path, DATABASE_HEADER_BYTES)?
            .ok_or_else(|| io("read", real_path)(ErrorKind::NotFound.into()))?;
        let wal = look(&beside(real_path, "-wal"), WAL_HEADER_BYTES)?;
        let journal = look(&beside(real_path, "-journal"), JOURNAL_HEADER_BYTES)?;
        Ok(Self {
            database: Seen::new(&metadata, header),
            wal: wal
                .filter(|(metadata, header)| holds_frames(metadata, header))
                .map(|(_, header)| header),
            journal: journal
                .filter(|(_, header)| header.iter().any(|byte| *byte != 0))
                .map(|(metadata, header)| Seen::new(&metadata, header)),
        })
    }

    /// Says whether a transaction was left unfinished in a rollback journal, or is going on.
    pub(crate) fn has_journal(&self) -> bool {
        self.journal.is_some()
    }

    /// Size of the database file.
    pub(crate) fn bytes(&self) -> u64 {
        self.database.bytes
    }

    /// Says whether the database file alone is the whole store.
    pub(crate) fn is_plain(&self) -> bool {
        self.wal.is_none() && self.journal.is_none()
    }
}

impl Seen {
    fn new(metadata: &Metadata, header: Vec<u8>) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            header,
        }
    }
}

/// SQLite ignores a WAL without its magic number, and one that ends with its header holds nothing.
fn holds_frames(metadata: &Metadata, header: &[u8]) -> bool {
    metadata.len() > WAL_HEADER_BYTES
        && header.starts_with(&[0x37, 0x7f, 0x06])
        && matches!(header.get(3), Some(0x82 | 0x83))
}

/// Names a store's other files: `-wal`, `-journal`, `-shm`.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

fn look(path: &Path, header_bytes: u64) -> Result<Option<(Metadata, Vec<u8>)>, StoreError> {
    let Some(file) = open_file(path)? else {
        return Ok(None);
    };
    let metadata = file.metadata().map_err(io("read", path))?;
    let mut header = Vec::new();
    file.take(header_bytes)
        .read_to_end(&mut header)
        .map_err(io("read", path))?;
    Ok(Some((metadata, header)))
}

/// Opens a regular file for reading; `None` if there is nothing.
pub(crate) fn open_file(path: &Path) -> Result<Option<File>, StoreError> {
    // Asked before opening: opening a fifo or a device can already wait or act.
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io("read", path)(error)),
    };
    if let Some(found) = not_a_file(&metadata) {
        return Err(StoreError::NotAFile {
            path: path.to_owned(),
            found,
        });
    }
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    match OpenOptions::new().read(true).custom_flags(nonblocking).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io("read", path)(error)),
    }
}

fn not_a_file(metadata: &Metadata) -> Option<&'static str> {
    let kind = metadata.file_type();
    match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("directory"),
        () if kind.is_fifo() => Some("fifo"),
        () if kind.is_socket() => Some("socket"),
        () => Some("device"),
    }
}
