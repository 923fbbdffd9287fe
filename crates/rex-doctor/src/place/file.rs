//! Opens and reads files without ever waiting for one: nothing but a regular file is opened.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use serde_json::Value;

use super::rights::Want;
use super::root::Found;
use super::{Kind, Place, Stat};
use crate::evidence::{Says, Why};

/// A regular file, open for reading.
#[derive(Debug)]
pub struct LogFile {
    file: File,
    stat: Stat,
}

impl LogFile {
    /// What the file system said when it was opened.
    pub fn stat(&self) -> &Stat {
        &self.stat
    }

    /// Its size in bytes when it was opened.
    pub fn bytes(&self) -> u64 {
        self.stat.bytes
    }

    /// Reads up to `length_bytes` from `offset_bytes`; less only where the file ends before.
    ///
    /// # Errors
    /// What the system says.
    pub fn read_at(&self, offset_bytes: u64, length_bytes: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length_bytes];
        let mut filled = 0;
        while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.file.read_at(rest, offset_bytes + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }
}

impl Read for LogFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.read(bytes)
    }
}

impl Seek for LogFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Place {
    /// Opens the regular file there, symlinks followed. Never waits: a fifo, socket or device is [`Why::NotRegular`].
    pub fn open(&self, path: &Path) -> Says<LogFile> {
        self.find(path, true).and_then(|found| self.open_found(&found))
    }

    fn open_found(&self, found: &Found) -> Says<LogFile> {
        match found.stat.kind {
            Kind::File => {}
            Kind::Directory => return Says::Unreadable(Why::IsDirectory),
            Kind::Symlink => return Says::Unreadable(Why::Loop),
            Kind::Special(word) => return Says::Unreadable(Why::NotRegular(word)),
        }
        if !self.rights.allow_passing(found, Want::Read) {
            return Says::Unreadable(Why::NotPermitted);
        }
        // What was a file a moment ago may be a fifo by now: O_NONBLOCK keeps the open from waiting for a writer.
        let open = |flags: OFlags| {
            OpenOptions::new()
                .read(true)
                .custom_flags(flags.bits() as i32)
                .open(&found.real)
        };
        let careful = OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
        #[cfg(target_os = "linux")]
        let opened = open(careful | OFlags::NOATIME).or_else(|error| match error.kind() {
            // Only the owner may leave the time of the last access alone.
            io::ErrorKind::PermissionDenied => open(careful),
            _ => Err(error),
        });
        #[cfg(not(target_os = "linux"))]
        let opened = open(careful);
        match opened.and_then(|file| Ok((Stat::from(&file.metadata()?), file))) {
            Ok((stat, file)) if stat.kind == Kind::File => Says::Read(LogFile { file, stat }),
            Ok(_) => Says::Unreadable(Why::Changed),
            Err(error) => error.into(),
        }
    }

    /// Reads a file of at most `limit_bytes` whole.
    pub fn read(&self, path: &Path, limit_bytes: u64) -> Says<Vec<u8>> {
        self.open(path).and_then(|file| {
            let mut bytes = vec![];
            // Files of /proc say that they hold 0 bytes, so the size is not asked.
            match file.take(limit_bytes + 1).read_to_end(&mut bytes) {
                Ok(count) if count as u64 > limit_bytes => Says::Unreadable(Why::TooMuch {
                    limit: limit_bytes,
                    unit: "bytes",
                }),
                Ok(_) => Says::Read(bytes),
                Err(error) => error.into(),
            }
        })
    }

    /// Reads a text file of at most 1 MiB; bytes that are not UTF-8 become U+FFFD.
    pub fn read_text(&self, path: &Path) -> Says<String> {
        self.read(path, 1 << 20)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads a JSON file of at most `limit_bytes`; one that does not parse is [`Why::Damaged`] with the parser's words.
    pub fn read_json(&self, path: &Path, limit_bytes: u64) -> Says<Value> {
        self.read(path, limit_bytes)
            .and_then(|bytes| match serde_json::from_slice(&bytes) {
                Ok(value) => Says::Read(value),
                Err(error) => Says::Unreadable(Why::Damaged(format!("it is not JSON: {error}"))),
            })
    }
}
