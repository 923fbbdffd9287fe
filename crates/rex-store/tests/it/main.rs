//! The tests of the store library that need files, or more than one module.
#![expect(clippy::unwrap_used, reason = "a test may panic: that is how it fails")]

mod digest;
mod holder;
mod identify;
mod live;
mod prune;
mod reader;
mod review;
mod rows;
mod upgrader;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use rusqlite::{Connection, OpenFlags};

fn open(path: &Path) -> Connection {
    Connection::open_with_flags(path, OpenFlags::default()).unwrap()
}

/// Every file of a folder with its bytes and its time of change.
fn listing(folder: &Path) -> BTreeMap<std::ffi::OsString, (Vec<u8>, SystemTime)> {
    let files = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    files
        .map(|file| {
            let modified = file.metadata().unwrap().modified().unwrap();
            (
                file.file_name(),
                (std::fs::read(file.path()).unwrap_or_default(), modified),
            )
        })
        .collect()
}

/// Copies a store as a crash would leave it: with whatever lies beside it.
fn crash(store: &Path, into: &Path) -> std::path::PathBuf {
    for file in std::fs::read_dir(store.parent().unwrap())
        .unwrap()
        .map(Result::unwrap)
    {
        if file
            .path()
            .extension()
            .is_none_or(|extension| extension != "db-shm")
        {
            std::fs::copy(file.path(), into.join(file.file_name())).unwrap();
        }
    }
    into.join(store.file_name().unwrap())
}
