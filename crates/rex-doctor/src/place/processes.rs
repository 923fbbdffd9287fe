//! Processes and locks, read from `/proc` below the root. Without one, nobody counts as alive, and that is said.

use std::path::{Path, PathBuf};

use super::{Place, Stat};
use crate::evidence::Says;

/// A process that is alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// The name of its program, at most 15 bytes.
    pub name: String,
    /// When it started, in clock ticks after boot: tells two users of one id apart.
    pub start_ticks: u64,
}

/// A lock on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lock {
    /// The holder, where the system names one.
    pub pid: Option<u32>,
    /// `FLOCK`, `POSIX` or `OFDLCK`.
    pub kind: LockKind,
    /// True where it keeps readers out too.
    pub exclusive: bool,
    /// First byte.
    pub from_byte: u64,
    /// Last byte; none up to the end of the file, however long.
    pub to_byte: Option<u64>,
}

/// How a lock was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockKind {
    /// `flock`: the whole file, bound to the open file.
    Flock,
    /// `fcntl`: bytes, bound to the process.
    Posix,
    /// `fcntl` bound to the open file.
    OpenFile,
}

impl Place {
    /// Whether processes can be seen at all.
    pub fn sees_processes(&self) -> bool {
        self.is_directory(Path::new("/proc"))
    }

    /// The process with that id; absent if none is alive or if processes cannot be seen.
    pub fn process(&self, pid: u32) -> Says<Process> {
        self.read_text(&PathBuf::from(format!("/proc/{pid}/stat")))
            .and_then(|text| {
                // The name is in parentheses and may hold spaces and parentheses itself.
                let parsed = text.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')'));
                let Some((name, rest)) = parsed else {
                    return Says::Absent;
                };
                let mut fields = rest.split_whitespace();
                // A zombie has no files and holds no locks any more.
                if matches!(fields.next(), Some("Z" | "X")) {
                    return Says::Absent;
                }
                let start_ticks = fields.nth(18).and_then(|ticks| ticks.parse().ok()).unwrap_or(0);
                Says::Read(Process {
                    pid,
                    name: name.to_owned(),
                    start_ticks,
                })
            })
    }

    /// The locks that are held on the file there.
    pub fn locks(&self, path: &Path) -> Says<Vec<Lock>> {
        self.stat(path).and_then(|stat| {
            self.read_text(Path::new("/proc/locks"))
                .map(|text| text.lines().filter_map(|line| lock_on(line, &stat)).collect())
        })
    }
}

/// Reads a line such as `1: POSIX  ADVISORY  WRITE 4242 08:01:1234 1073741826 1073742335` if it is about that file.
fn lock_on(line: &str, stat: &Stat) -> Option<Lock> {
    let mut fields = line.split_whitespace().skip(1);
    let kind = match fields.next()? {
        "FLOCK" => LockKind::Flock,
        "POSIX" => LockKind::Posix,
        "OFDLCK" => LockKind::OpenFile,
        // `->` begins a line about a process that waits.
        _ => return None,
    };
    let exclusive = fields.nth(1)? == "WRITE";
    let pid = fields.next()?.parse::<u32>().ok().filter(|pid| *pid != 0);
    let mut file = fields.next()?.rsplit(':');
    let inode: u64 = file.next()?.parse().ok()?;
    // The device is not compared: file systems with subvolumes or layers report another one here than to a stat.
    if inode != stat.identity.1 {
        return None;
    }
    let from_byte = fields.next()?.parse().ok()?;
    let to_byte = fields.next()?.parse().ok();
    Some(Lock {
        pid,
        kind,
        exclusive,
        from_byte,
        to_byte,
    })
}
