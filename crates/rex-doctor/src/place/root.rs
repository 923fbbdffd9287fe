//! Looks paths up below the root, one component at a time, so that symlinks and `..` stop there.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

use jiff::Timestamp;

use super::rights::{Rights, Want};
use crate::evidence::{Says, Why};

/// How many symlinks one lookup may follow; the kernel's own bound.
const SYMLINKS: usize = 40;

/// The folder that stands for `/`.
#[derive(Clone, Debug)]
pub(super) struct Root(Option<PathBuf>);

/// What kind of thing lies under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symlink.
    Symlink,
    /// A fifo, a socket or a device, by its word.
    Special(&'static str),
}

/// What the file system says about a thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Its kind.
    pub kind: Kind,
    /// Its size in bytes.
    pub bytes: u64,
    /// Permission bits.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Time of the last change of its bytes.
    pub modified: Timestamp,
    /// Device and inode: the same for two names of one file.
    pub identity: (u64, u64),
}

impl From<&Metadata> for Stat {
    fn from(data: &Metadata) -> Self {
        let nanoseconds = i32::try_from(data.mtime_nsec()).unwrap_or(0);
        Self {
            kind: kind(data.file_type()),
            bytes: data.len(),
            mode: data.mode() & 0o7777,
            uid: data.uid(),
            gid: data.gid(),
            modified: Timestamp::new(data.mtime(), nanoseconds).unwrap_or(Timestamp::UNIX_EPOCH),
            identity: (data.dev(), data.ino()),
        }
    }
}

/// The kind that a file type stands for.
pub(super) fn kind(of: fs::FileType) -> Kind {
    if of.is_file() {
        Kind::File
    } else if of.is_dir() {
        Kind::Directory
    } else if of.is_symlink() {
        Kind::Symlink
    } else if of.is_fifo() {
        Kind::Special("fifo")
    } else if of.is_socket() {
        Kind::Special("socket")
    } else {
        Kind::Special("device")
    }
}

/// A path that was looked up.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// As the client sees it, symlinks resolved.
    pub(super) inside: PathBuf,
    /// On the doctor's own machine.
    pub(super) real: PathBuf,
    /// What lies there.
    pub(super) stat: Stat,
    /// How many symlinks led there.
    symlinks: usize,
}

impl Root {
    /// The machine the doctor runs on.
    pub(super) fn whole() -> Self {
        Self(None)
    }

    /// Another machine's files. `folder` is absolute, without symlinks.
    pub(super) fn below(folder: PathBuf) -> Self {
        Self(Some(folder))
    }

    pub(super) fn is_whole(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn has_directory(&self, path: &Path) -> bool {
        let found = self.find(path, true, &Rights::Real);
        matches!(
            found,
            Says::Read(Found {
                stat: Stat {
                    kind: Kind::Directory,
                    ..
                },
                ..
            })
        )
    }

    /// Every home below the root.
    pub(super) fn homes(&self) -> Vec<PathBuf> {
        let mut homes = vec![PathBuf::from("/root")];
        for parent in ["/home", "/Users"].map(Path::new) {
            let Says::Read(found) = self.find(parent, true, &Rights::Real) else {
                continue;
            };
            let Ok(entries) = fs::read_dir(&found.real) else {
                continue;
            };
            let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
            names.sort();
            homes.extend(names.into_iter().map(|name| parent.join(name)));
        }
        homes.retain(|home| self.has_directory(home));
        homes
    }

    /// Rights as the owner of that home has them.
    pub(super) fn rights_of_owner(&self, home: &Path) -> Rights {
        match self.find(home, true, &Rights::Real) {
            Says::Read(found) => Rights::Owner {
                uid: found.stat.uid,
                gid: found.stat.gid,
            },
            Says::Absent | Says::Unreadable(_) => Rights::Real,
        }
    }

    /// Looks up an absolute path.
    pub(super) fn find(&self, path: &Path, follow_last: bool, rights: &Rights) -> Says<Found> {
        match self.top() {
            Ok(top) => self.find_from(top, path, follow_last, rights),
            Err(error) => error.into(),
        }
    }

    /// Looks up a relative path from `here` on.
    pub(super) fn find_from(
        &self,
        mut here: Found,
        path: &Path,
        follow_last: bool,
        rights: &Rights,
    ) -> Says<Found> {
        let mut pending: VecDeque<OsString> = parts(path).collect();
        while let Some(part) = pending.pop_front() {
            if here.stat.kind != Kind::Directory {
                return Says::Unreadable(Why::NotDirectory);
            }
            if !rights.allow_passing(&here, Want::Search) {
                return Says::Unreadable(Why::NotPermitted);
            }
            let found = match self.step(&here, &part) {
                Ok(found) => found,
                Err(error) => return error.into(),
            };
            if found.stat.kind != Kind::Symlink || (pending.is_empty() && !follow_last) {
                here = found;
                continue;
            }
            if found.symlinks >= SYMLINKS {
                return Says::Unreadable(Why::Loop);
            }
            let target = match fs::read_link(&found.real) {
                Ok(target) => target,
                Err(error) => return error.into(),
            };
            for part in parts(&target).rev() {
                pending.push_front(part);
            }
            if target.is_absolute() {
                here = match self.top() {
                    Ok(top) => top,
                    Err(error) => return error.into(),
                };
            }
            here.symlinks = found.symlinks + 1;
        }
        Says::Read(here)
    }

    fn top(&self) -> std::io::Result<Found> {
        self.at(PathBuf::from("/"), 0)
    }

    fn step(&self, here: &Found, part: &OsStr) -> std::io::Result<Found> {
        let mut next = here.inside.clone();
        if part == ".." {
            next.pop();
        } else {
            next.push(part);
        }
        self.at(next, here.symlinks)
    }

    /// What lies at a path whose directories hold no symlinks.
    fn at(&self, inside: PathBuf, symlinks: usize) -> std::io::Result<Found> {
        let real = match &self.0 {
            None => inside.clone(),
            Some(root) => root.join(inside.strip_prefix("/").unwrap_or(&inside)),
        };
        let stat = Stat::from(&fs::symlink_metadata(&real)?);
        Ok(Found {
            inside,
            real,
            stat,
            symlinks,
        })
    }
}

fn parts(path: &Path) -> impl DoubleEndedIterator<Item = OsString> + '_ {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    })
}
