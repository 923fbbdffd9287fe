//! Every file operation of the engine, so that a test can make each one fail. SQLite's own go through its VFS.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use rustix::fs::{CWD, RenameFlags};

/// What the engine does to files beside SQLite.
pub trait Files {
    /// Opens an existing file for reading.
    ///
    /// # Errors
    /// As [`File::open`].
    fn open(&self, path: &Path) -> io::Result<File>;
    /// Creates a file that must not exist yet, readable by its owner alone.
    ///
    /// # Errors
    /// As [`File::create_new`].
    fn create(&self, path: &Path) -> io::Result<File>;
    /// Makes `to` share the blocks of `from`; false where the file system cannot.
    ///
    /// # Errors
    /// Failures other than "this file system cannot".
    fn reflink(&self, from: &File, to: &File) -> io::Result<bool>;
    /// Reads at most a buffer; 0 at the end.
    ///
    /// # Errors
    /// As [`Read::read`].
    fn read(&self, from: &File, buffer: &mut [u8]) -> io::Result<usize>;
    /// Writes all of the bytes.
    ///
    /// # Errors
    /// As [`Write::write_all`].
    fn write(&self, to: &File, bytes: &[u8]) -> io::Result<()>;
    /// Gives `to` the mode of `from`, and its owner where this process may.
    ///
    /// # Errors
    /// When the mode cannot be set, or when the owner differs and cannot be set.
    fn keep_owner(&self, from: &File, to: &File) -> io::Result<()>;
    /// Returns once the content is on the disk.
    ///
    /// # Errors
    /// As [`File::sync_all`].
    fn sync(&self, file: &File) -> io::Result<()>;
    /// Returns once the names in a folder are on the disk.
    ///
    /// # Errors
    /// When the folder cannot be opened or synced.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// Renames to a name that must not exist yet.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] when it does, else as [`std::fs::rename`].
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives a file a second name, which must not exist yet.
    ///
    /// # Errors
    /// As [`std::fs::hard_link`].
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Renames over whatever has the name.
    ///
    /// # Errors
    /// As [`std::fs::rename`].
    fn replace(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    ///
    /// # Errors
    /// As [`std::fs::remove_file`].
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Bytes that may still be written in a folder.
    ///
    /// # Errors
    /// When the file system does not say.
    fn free_bytes(&self, folder: &Path) -> io::Result<u64>;
}

/// The operating system's files.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemFiles;

impl Files for SystemFiles {
    fn open(&self, path: &Path) -> io::Result<File> {
        File::open(path)
    }

    fn create(&self, path: &Path) -> io::Result<File> {
        use std::os::unix::fs::OpenOptionsExt as _;
        File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)
    }

    #[cfg(target_os = "linux")]
    fn reflink(&self, from: &File, to: &File) -> io::Result<bool> {
        // ext4 says OPNOTSUPP, other devices XDEV, overlays INVAL or NOTTY: each means "copy instead".
        match rustix::fs::ioctl_ficlone(to, from) {
            Ok(()) => Ok(true),
            Err(rustix::io::Errno::NOSPC | rustix::io::Errno::DQUOT | rustix::io::Errno::IO) => {
                Err(io::Error::from(io::ErrorKind::StorageFull))
            }
            Err(_) => Ok(false),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn reflink(&self, _from: &File, _to: &File) -> io::Result<bool> {
        Ok(false)
    }

    fn read(&self, mut from: &File, buffer: &mut [u8]) -> io::Result<usize> {
        from.read(buffer)
    }

    fn write(&self, mut to: &File, bytes: &[u8]) -> io::Result<()> {
        to.write_all(bytes)
    }

    fn keep_owner(&self, from: &File, to: &File) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        let (wanted, have) = (from.metadata()?, to.metadata()?);
        if (wanted.uid(), wanted.gid()) != (have.uid(), have.gid()) {
            fchown(to, Some(wanted.uid()), Some(wanted.gid()))?;
        }
        to.set_permissions(wanted.permissions())
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // Some file systems know no flags; a hard link refuses an existing name as well.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
                std::fs::hard_link(from, to)?;
                std::fs::remove_file(from)
            }
            done => Ok(done?),
        }
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::hard_link(from, to)
    }

    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn free_bytes(&self, folder: &Path) -> io::Result<u64> {
        let stat = rustix::fs::statvfs(folder)?;
        Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
    }
}
