//! Lists directories, bounded: where a bound is reached, the answer says that it is not complete.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::rights::Want;
use super::root::kind;
use super::{Kind, Place};
use crate::evidence::{Says, Why};

/// The most entries that are read of one directory.
const MOST_ENTRIES: usize = 200_000;

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, which need not be UTF-8.
    pub name: OsString,
    /// Its path, as the client sees it.
    pub path: PathBuf,
    /// Its kind, a symlink as itself.
    pub kind: Kind,
}

/// What a directory holds, sorted by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The entries.
    pub entries: Vec<Entry>,
    /// False where the bound was reached.
    pub complete: bool,
}

/// The files below a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Every entry that is no directory, sorted by path; symlinks are not followed.
    pub files: Vec<Entry>,
    /// Directories that could not be read, and why.
    pub unreadable: Vec<(PathBuf, Why)>,
    /// False where a bound was reached.
    pub complete: bool,
}

impl Place {
    /// Lists the directory there, symlinks followed.
    pub fn list(&self, path: &Path) -> Says<Listing> {
        self.list_up_to(path, MOST_ENTRIES)
    }

    /// Lists at most `most` entries of the directory there.
    pub fn list_up_to(&self, path: &Path, most: usize) -> Says<Listing> {
        let path = self.cwd.join(path);
        self.find(&path, true).and_then(|found| {
            if found.stat.kind != Kind::Directory {
                return Says::Unreadable(Why::NotDirectory);
            }
            if !self.rights.allow_passing(&found, Want::Read) {
                return Says::Unreadable(Why::NotPermitted);
            }
            match fs::read_dir(&found.real) {
                Ok(entries) => Says::Read(sorted(&path, entries, most)),
                Err(error) => error.into(),
            }
        })
    }

    /// Collects the files below a directory, `depth` levels of folders down, at most `most` of them. Symlinks to
    /// directories are not followed, so there are no circles.
    pub fn walk(&self, path: &Path, depth: usize, most: usize) -> Says<Walk> {
        self.list(path).map(|top| {
            let mut walk = Walk {
                complete: top.complete,
                ..Walk::default()
            };
            let mut pending = vec![(top.entries, 0)];
            while let Some((entries, level)) = pending.pop() {
                for entry in entries {
                    if walk.files.len() + pending.len() >= most {
                        walk.complete = false;
                        break;
                    }
                    if entry.kind != Kind::Directory {
                        walk.files.push(entry);
                    } else if level >= depth {
                        walk.complete = false;
                    } else {
                        match self.list(&entry.path) {
                            Says::Read(below) => {
                                walk.complete &= below.complete;
                                pending.push((below.entries, level + 1));
                            }
                            Says::Absent => {}
                            Says::Unreadable(why) => walk.unreadable.push((entry.path, why)),
                        }
                    }
                }
            }
            walk.files.sort_by(|a, b| a.path.cmp(&b.path));
            walk
        })
    }
}

fn sorted(path: &Path, found: fs::ReadDir, most: usize) -> Listing {
    let mut complete = true;
    let mut entries = vec![];
    for entry in found {
        if entries.len() >= most {
            complete = false;
            break;
        }
        let Ok(entry) = entry else {
            complete = false;
            continue;
        };
        let name = entry.file_name();
        let Ok(of) = entry.file_type() else { continue };
        entries.push(Entry {
            path: path.join(&name),
            name,
            kind: kind(of),
        });
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Listing { entries, complete }
}
