//! The engine's file operations, each asked of the script first.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rex_migrate::files::{Files, SystemFiles};
use std::os::fd::AsRawFd as _;
use testkit::faults::{self, Operation, Verdict};

pub(crate) struct FaultyFiles;

fn ask(operation: Operation) -> io::Result<()> {
    match faults::step(operation) {
        Verdict::Pass => Ok(()),
        Verdict::Fail => {
            faults::die_if_killed();
            Err(io::Error::other("a planted failure"))
        }
        Verdict::Full => Err(io::ErrorKind::StorageFull.into()),
    }
}

/// The name under which a file is open.
fn name(file: &File) -> PathBuf {
    std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap()
}

impl Files for FaultyFiles {
    fn open(&self, path: &Path) -> io::Result<File> {
        ask(Operation::Open)?;
        SystemFiles.open(path)
    }

    fn create(&self, path: &Path) -> io::Result<File> {
        ask(Operation::Open)?;
        let file = SystemFiles.create(path)?;
        faults::done(Operation::Open, path);
        Ok(file)
    }

    fn reflink(&self, from: &File, to: &File) -> io::Result<bool> {
        ask(Operation::Write(0))?;
        SystemFiles.reflink(from, to)
    }

    fn read(&self, from: &File, buffer: &mut [u8]) -> io::Result<usize> {
        SystemFiles.read(from, buffer)
    }

    fn write(&self, to: &File, bytes: &[u8]) -> io::Result<()> {
        // In pieces, so that there is something between none and all.
        for piece in bytes.chunks(16 << 10) {
            ask(Operation::Write(piece.len() as u64)).inspect_err(|_| {
                let _torn = SystemFiles.write(to, piece.split_at(piece.len() / 2).0);
            })?;
            SystemFiles.write(to, piece)?;
        }
        Ok(())
    }

    fn keep_owner(&self, from: &File, to: &File) -> io::Result<()> {
        ask(Operation::Owner)?;
        SystemFiles.keep_owner(from, to)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        ask(Operation::Sync)?;
        faults::done(Operation::Sync, &name(file));
        Ok(())
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        ask(Operation::SyncFolder)?;
        faults::done(Operation::SyncFolder, folder);
        Ok(())
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        ask(Operation::Rename)?;
        SystemFiles.rename_new(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        ask(Operation::Rename)?;
        SystemFiles.link(from, to)
    }

    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        ask(Operation::Rename)?;
        SystemFiles.replace(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        ask(Operation::Delete)?;
        SystemFiles.remove(path)
    }

    fn free_bytes(&self, folder: &Path) -> io::Result<u64> {
        SystemFiles.free_bytes(folder)
    }
}
