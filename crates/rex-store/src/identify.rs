//! Says what a file is, from the file alone and without leaving a trace.

use std::io::Read;
use std::path::Path;

use rusqlite::Connection;

use crate::error::{Doing, StoreError};
use crate::open::{How, Reader, beside, io, open_file};
use crate::review;

/// What a file turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The daemon store before the split.
    DaemonV90,
    /// The daemon store after the split.
    DaemonV91,
    /// A daemon store at 91 that has no messages: another change took that number.
    DaemonV91Unsplit,
    /// A daemon store of a version above 91.
    DaemonNewer(i64),
    /// A daemon store of a version from 1 to 89.
    DaemonOlder(i64),
    /// A daemon store with tables and without a version.
    DaemonUnversioned,
    /// A review store; the newest generation that has opened it.
    Review(u8),
    /// An SQLite database with other tables than ours.
    NotOurs,
    /// An SQLite database without a table, or a file without a byte.
    Empty,
    /// Not an SQLite database.
    NotADatabase,
    /// Not an SQLite database, but whole blocks of what looks like noise.
    EncryptedLooking,
}

/// What a file is, and the figures that were seen on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// What it is.
    pub kind: Kind,
    /// The `user_version`, committed rows of the WAL considered; `None` if it is no database.
    pub user_version: Option<i64>,
    /// Size of the file.
    pub bytes: u64,
    /// Size of the `-wal` beside it, 0 without one.
    pub wal_bytes: u64,
    /// Size of the `-journal` beside it, 0 without one.
    pub journal_bytes: u64,
    /// How it was read; `None` if it is no database.
    pub how: Option<How>,
}

/// Identifies a file. `scratch` takes a copy of a store whose WAL or journal holds something.
///
/// # Errors
/// [`StoreError::Io`] if it is missing or unreadable, [`StoreError::NotAFile`], [`StoreError::Moved`],
/// [`StoreError::Sqlite`] if it is a damaged database.
pub fn identify(path: &Path, scratch: &Path) -> Result<Identity, StoreError> {
    let real_path = std::fs::canonicalize(path).map_err(io("read", path))?;
    let found = match read(path, scratch) {
        Ok(found) => Some(found),
        Err(StoreError::NotADatabase { .. }) => None,
        Err(error) => return Err(error),
    };
    Ok(Identity {
        kind: match found {
            Some((kind, ..)) => kind,
            None if looks_encrypted(path)? => Kind::EncryptedLooking,
            None => Kind::NotADatabase,
        },
        user_version: found.map(|(_, user_version, _)| user_version),
        bytes: size(&real_path)?,
        wal_bytes: size(&beside(&real_path, "-wal")).unwrap_or(0),
        journal_bytes: size(&beside(&real_path, "-journal")).unwrap_or(0),
        how: found.map(|(.., how)| how),
    })
}

/// A store that is written to more often than this while it is looked at is not identified.
const ATTEMPTS: u32 = 5;

fn read(path: &Path, scratch: &Path) -> Result<(Kind, i64, How), StoreError> {
    for _ in 0..ATTEMPTS {
        let reader = Reader::open(path, scratch)?;
        let found = classify(reader.connection());
        if reader.is_unmoved()? {
            return found.map(|(kind, user_version)| (kind, user_version, reader.how()));
        }
    }
    Err(StoreError::Moved {
        path: path.to_owned(),
        attempts: ATTEMPTS,
    })
}

fn size(path: &Path) -> Result<u64, StoreError> {
    std::fs::metadata(path)
        .map(|metadata| metadata.len())
        .map_err(io("read", path))
}

/// Says what an open database is, and its `user_version`.
///
/// # Errors
/// [`StoreError::Sqlite`] if it is damaged.
pub fn classify(connection: &Connection) -> Result<(Kind, i64), StoreError> {
    let version: i64 = connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .doing("read the store's version")?;
    let has = |table: &str| connection.table_exists(None, table).doing("read the schema");
    let ours = has("bots")? && has("turns")? && has("nodes")?;
    let kind = match version {
        0 if is_empty(connection)? => Kind::Empty,
        _ if !ours => review::generation(connection)?.map_or(Kind::NotOurs, |generation| {
            Kind::Review(generation.last_opened_by)
        }),
        90 => Kind::DaemonV90,
        91 if has("messages")? => Kind::DaemonV91,
        91 => Kind::DaemonV91Unsplit,
        0 => Kind::DaemonUnversioned,
        ..90 => Kind::DaemonOlder(version),
        92.. => Kind::DaemonNewer(version),
    };
    Ok((kind, version))
}

fn is_empty(connection: &Connection) -> Result<bool, StoreError> {
    connection
        .query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| {
            row.get(0)
        })
        .doing("read the schema")
}

/// How much of the file is looked at, and the block size every cipher for SQLite keeps to.
const SAMPLE_BYTES: u64 = 4096;
const BLOCK_BYTES: u64 = 512;

fn looks_encrypted(path: &Path) -> Result<bool, StoreError> {
    let Some(file) = open_file(path)? else {
        return Ok(false);
    };
    let bytes = file.metadata().map_err(io("read", path))?.len();
    let mut sample = Vec::new();
    file.take(SAMPLE_BYTES)
        .read_to_end(&mut sample)
        .map_err(io("read", path))?;
    Ok(bytes % BLOCK_BYTES == 0 && bytes > 0 && is_noise(&sample))
}

/// Entropy of the byte values, held against what that many random bytes have at least.
fn is_noise(sample: &[u8]) -> bool {
    let mut counts = [0_u32; 256];
    for byte in sample {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let total = sample.len() as f64;
    let entropy_bits: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / total)
        .map(|share| -share * share.log2())
        .sum();
    let least_bits = if sample.len() < 4096 { 7.3 } else { 7.9 };
    entropy_bits >= least_bits
}
