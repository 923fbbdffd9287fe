//! What a folder holds, for tests that show that nothing in it changes.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Every entry below a folder: kind, mode, time of change, size and a digest of its bytes.
pub(crate) type Tree = BTreeMap<PathBuf, String>;

/// The longest file whose bytes are compared.
const MOST_BYTES: u64 = 1 << 30;

/// Reads what a folder holds.
pub(crate) fn tree(folder: &Path) -> Tree {
    let mut found = Tree::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(path) = pending.pop() {
        let data = fs::symlink_metadata(&path).unwrap();
        let content = if data.is_dir() {
            let entries = fs::read_dir(&path);
            pending.extend(entries.into_iter().flatten().map(|entry| entry.unwrap().path()));
            String::new()
        } else if data.is_symlink() {
            fs::read_link(&path).unwrap().display().to_string()
        } else if data.is_file() {
            let mut digest = DefaultHasher::new();
            // A hole of gigabytes is not read: its time and its length would change with it.
            let bytes = (data.len() <= MOST_BYTES).then(|| fs::read(&path).ok());
            bytes.hash(&mut digest);
            format!("{:x}", digest.finish())
        } else {
            String::new()
        };
        let facts = (data.mode(), data.mtime(), data.mtime_nsec(), data.len());
        found.insert(path, format!("{facts:?} {content}"));
    }
    found
}

/// The entries that came, went or changed.
pub(crate) fn differences(before: &Tree, after: &Tree) -> Vec<PathBuf> {
    let names = before
        .keys()
        .chain(after.keys().filter(|path| !before.contains_key(*path)));
    names
        .filter(|path| before.get(*path) != after.get(*path))
        .cloned()
        .collect()
}
