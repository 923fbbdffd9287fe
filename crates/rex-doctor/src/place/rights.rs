//! What the client may do: the system's own answer on this machine, mode and owner on another's disk.

use rustix::fs::{Access, AtFlags, CWD, accessat};

use super::root::{Found, Kind};

/// Whose rights count.
#[derive(Clone, Debug)]
pub(super) enum Rights {
    /// Those of the user the doctor runs as, as the system grants them.
    Real,
    /// Those of the home's owner, judged by mode and owner alone.
    Owner {
        /// The home's owner.
        uid: u32,
        /// The home's group, the only one that is taken to be the owner's.
        gid: u32,
    },
}

/// What the client wants to do.
#[derive(Clone, Copy, Debug)]
pub(super) enum Want {
    /// Read a file, list a directory.
    Read,
    /// Write a file, create in a directory.
    Write,
    /// Look up names in a directory.
    Search,
}

impl Rights {
    /// Whether the client may.
    pub(super) fn allow(&self, found: &Found, want: Want) -> bool {
        match self {
            Self::Real => {
                let access = match want {
                    Want::Read => Access::READ_OK,
                    Want::Write => Access::WRITE_OK,
                    Want::Search => Access::EXEC_OK,
                };
                accessat(CWD, &found.real, access, AtFlags::EACCESS).is_ok()
            }
            Self::Owner { .. } => self.judge(found, want),
        }
    }

    /// The same while a path is looked up, where the system refuses by itself.
    pub(super) fn allow_passing(&self, found: &Found, want: Want) -> bool {
        matches!(self, Self::Real) || self.judge(found, want)
    }

    fn judge(&self, found: &Found, want: Want) -> bool {
        let Self::Owner { uid, gid } = self else {
            return true;
        };
        // Root passes everywhere; only to execute a file would it need an x bit, and no client executes a log.
        if *uid == 0 {
            return true;
        }
        let bit = match want {
            Want::Read => 0o4,
            Want::Write => 0o2,
            Want::Search => 0o1,
        };
        let stat = &found.stat;
        if matches!(want, Want::Search) && stat.kind != Kind::Directory {
            return false;
        }
        let shift = if stat.uid == *uid {
            6
        } else if stat.gid == *gid {
            3
        } else {
            0
        };
        stat.mode >> shift & bit != 0
    }
}
