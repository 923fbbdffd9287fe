//! Where logs of a session lie, and judges nothing: every file of its name under every key of a config directory, and
//! names that nearly are it.

// Its checks.
pub(super) mod ambiguous_keys;
pub(super) mod by_scan_only;
pub(super) mod host_key_differs;
pub(super) mod other_key;
pub(super) mod picker_index_stale;
pub(super) mod shadowed_copy;
pub(super) mod shared_key;
pub(super) mod symlinked_key;

use std::path::{Path, PathBuf};

use super::home::{ConfigDir, session_of};
use crate::evidence::Says;
use crate::place::{Kind, Place, Stat};

/// A file with the name of the session's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Copy {
    pub(super) path: PathBuf,
    /// The config directory it lies in.
    pub(super) config: PathBuf,
    /// The name of the folder it lies in.
    pub(super) key: String,
    /// The folder is a symlink.
    pub(super) key_is_link: bool,
    /// What lies there, symlinks followed.
    pub(super) stat: Says<Stat>,
}

impl Copy {
    /// True where a file lies there.
    pub(super) fn is_file(&self) -> bool {
        matches!(&self.stat, Says::Read(stat) if stat.kind == Kind::File)
    }
}

/// A name that is nearly the session's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NearMiss {
    pub(super) path: PathBuf,
    pub(super) how: Miss,
}

/// What is wrong with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Miss {
    /// Another letter case of the id.
    LetterCase,
    /// Another ending.
    Ending,
    /// It lies in `projects` itself.
    TooHigh,
    /// It lies in a folder below a key.
    TooDeep,
}

/// The files with the session's name in a config directory.
pub(super) fn copies(place: &Place, config: &ConfigDir, session: &str) -> Vec<Copy> {
    let name = format!("{session}.jsonl");
    let mut found = vec![];
    for key in keys(place, config) {
        let path = key.path.join(&name);
        if place.link_stat(&path).is_absent() {
            continue;
        }
        found.push(Copy {
            stat: place.stat(&path),
            path,
            config: config.path.clone(),
            key: key.name,
            key_is_link: key.is_link,
        });
    }
    found
}

/// A folder below `projects`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) is_link: bool,
}

/// The folders below `projects`, symlinks to folders too.
pub(super) fn keys(place: &Place, config: &ConfigDir) -> Vec<Key> {
    let listing = place.list(&config.projects()).read();
    let entries = listing.map(|listing| listing.entries).unwrap_or_default();
    let folders = entries.into_iter().filter(|entry| match entry.kind {
        Kind::Directory => true,
        Kind::Symlink => place.is_directory(&entry.path),
        Kind::File | Kind::Special(_) => false,
    });
    folders
        .map(|entry| Key {
            name: entry.name.to_string_lossy().into_owned(),
            is_link: entry.kind == Kind::Symlink,
            path: entry.path,
        })
        .collect()
}

/// Names that nearly are the session's log.
pub(super) fn near_misses(place: &Place, config: &ConfigDir, session: &str) -> Vec<NearMiss> {
    let mut found = vec![];
    let lower = session.to_lowercase();
    let top = config.projects().join(format!("{session}.jsonl"));
    if !place.link_stat(&top).is_absent() {
        found.push(NearMiss {
            path: top,
            how: Miss::TooHigh,
        });
    }
    for key in keys(place, config) {
        let Says::Read(listing) = place.list(&key.path) else {
            continue;
        };
        for entry in listing.entries {
            let name = entry.name.to_string_lossy().into_owned();
            if let Some(how) = miss(&name, session, &lower, entry.kind) {
                found.push(NearMiss {
                    path: entry.path,
                    how,
                });
            } else if entry.kind == Kind::Directory {
                let below = entry.path.join(format!("{session}.jsonl"));
                if place.is_file(&below) {
                    found.push(NearMiss {
                        path: below,
                        how: Miss::TooDeep,
                    });
                }
            }
        }
    }
    found
}

fn miss(name: &str, session: &str, lower: &str, kind: Kind) -> Option<Miss> {
    let rest = name.get(session.len()..)?;
    let start = name.get(..session.len())?;
    if kind == Kind::Directory || start.to_lowercase() != lower || !rest.starts_with('.') {
        return None;
    }
    match (start == session, rest == ".jsonl") {
        (false, true) => Some(Miss::LetterCase),
        (true, false) => Some(Miss::Ending),
        (true, true) | (false, false) => None,
    }
}

/// The ids of all sessions of a config directory, with their logs.
pub(super) fn sessions(place: &Place, config: &ConfigDir) -> Vec<(String, PathBuf)> {
    let mut found = vec![];
    for key in keys(place, config) {
        let Says::Read(listing) = place.list(&key.path) else {
            continue;
        };
        for entry in listing.entries {
            if let Some(session) = session_of(&entry.name.to_string_lossy()) {
                found.push((session.to_owned(), entry.path.clone()));
            }
        }
    }
    found
}

/// Keys that could not be listed, and why.
pub(super) fn unlisted(place: &Place, folder: &Path) -> Option<crate::evidence::Why> {
    place.list(folder).why().cloned()
}

#[cfg(test)]
impl Copy {
    /// A plain file, for tests.
    pub(super) fn file(path: &Path) -> Self {
        let part = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let key = path.parent().unwrap_or(path);
        Self {
            path: path.to_owned(),
            config: key.ancestors().nth(2).unwrap_or(key).to_owned(),
            key: part(key).unwrap_or_default(),
            key_is_link: false,
            stat: Says::Read(Stat {
                kind: Kind::File,
                bytes: 1000,
                mode: 0o600,
                uid: 1000,
                gid: 1000,
                modified: jiff::Timestamp::UNIX_EPOCH,
                identity: (1, 1),
            }),
        }
    }
}
