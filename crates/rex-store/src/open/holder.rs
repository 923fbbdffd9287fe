//! Names the processes that have a store open, where the system tells.

use std::fmt;
use std::path::Path;

/// A process that has a store open or locked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// Its name, where it may be read.
    pub name: Option<String>,
}

impl Holder {
    pub(crate) fn list(holders: &[Self]) -> String {
        if holders.is_empty() {
            return "another process".to_owned();
        }
        holders.iter().map(Self::to_string).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} (process {})", self.pid),
            None => write!(f, "process {}", self.pid),
        }
    }
}

/// Lists the other processes that have the store or a file beside it open or locked, by process id; empty where the
/// system does not tell. It reads `/proc` only, never the store.
pub fn holders(path: &Path) -> Vec<Holder> {
    #[cfg(target_os = "linux")]
    return proc::holders(path);
    #[cfg(not(target_os = "linux"))]
    return Vec::new();
}

#[cfg(target_os = "linux")]
mod proc {
    use std::collections::BTreeSet;
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};

    use rustix::fs::{major, minor};

    use super::Holder;
    use crate::open::sighting::beside;

    pub(super) fn holders(path: &Path) -> Vec<Holder> {
        let Ok(real_path) = fs::canonicalize(path) else {
            return Vec::new();
        };
        let files = ["", "-wal", "-shm", "-journal"].map(|suffix| beside(&real_path, suffix));
        let mut pids = BTreeSet::new();
        lockers(&files, &mut pids);
        openers(&files, &mut pids);
        pids.remove(&std::process::id());
        pids.into_iter()
            .map(|pid| Holder { pid, name: name(pid) })
            .collect()
    }

    fn name(pid: u32) -> Option<String> {
        let name = fs::read(format!("/proc/{pid}/comm")).ok()?;
        Some(String::from_utf8_lossy(&name).trim_end().to_owned())
    }

    /// `/proc/locks` tells of every user's processes: `1: POSIX  ADVISORY  WRITE 4242 fd:00:131 0 EOF`.
    fn lockers(files: &[PathBuf], pids: &mut BTreeSet<u32>) {
        let Ok(locks) = fs::read_to_string("/proc/locks") else {
            return;
        };
        let ours = files.iter().filter_map(|file| fs::metadata(file).ok());
        let ours: Vec<String> = ours
            .map(|file| {
                format!(
                    "{:02x}:{:02x}:{}",
                    major(file.dev()),
                    minor(file.dev()),
                    file.ino()
                )
            })
            .collect();
        for lock in locks.lines() {
            let mut words = lock.split_whitespace().rev().skip(2);
            let (Some(file), Some(pid)) = (words.next(), words.next()) else {
                continue;
            };
            if ours.iter().any(|our| our == file) {
                pids.extend(pid.parse::<u32>());
            }
        }
    }

    /// The open files of the processes that may be looked into, by the names they were opened under.
    fn openers(files: &[PathBuf], pids: &mut BTreeSet<u32>) {
        let names: Vec<OsString> = files.iter().map(|file| file.clone().into_os_string()).collect();
        let Ok(processes) = fs::read_dir("/proc") else {
            return;
        };
        for process in processes.flatten() {
            let Some(pid) = process.file_name().to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            let Ok(open) = fs::read_dir(process.path().join("fd")) else {
                continue;
            };
            let holds = open.flatten().any(|file| {
                fs::read_link(file.path()).is_ok_and(|link| names.iter().any(|name| link == Path::new(name)))
            });
            if holds {
                pids.insert(pid);
            }
        }
    }
}
