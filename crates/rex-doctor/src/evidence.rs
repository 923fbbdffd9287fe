//! What a witness says: it was read, there is nothing, or it could not be read and why.

use std::fmt;
use std::io;

/// What reading one thing came to. "Not there" and "could not be read" are never mixed up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says<T> {
    /// It was read.
    Read(T),
    /// There is nothing under that name (also behind a dangling symlink).
    Absent,
    /// Something is there, or may be, and it could not be read.
    Unreadable(Why),
}

impl<T> Says<T> {
    /// Returns what was read, if anything was.
    pub fn read(self) -> Option<T> {
        match self {
            Says::Read(value) => Some(value),
            Says::Absent | Says::Unreadable(_) => None,
        }
    }

    /// Borrows what was said.
    pub fn as_ref(&self) -> Says<&T> {
        match self {
            Says::Read(value) => Says::Read(value),
            Says::Absent => Says::Absent,
            Says::Unreadable(why) => Says::Unreadable(why.clone()),
        }
    }

    /// Changes what was read and keeps the other two answers.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Says<U> {
        self.and_then(|value| Says::Read(change(value)))
    }

    /// Goes on with what was read; keeps the other two answers.
    pub fn and_then<U>(self, next: impl FnOnce(T) -> Says<U>) -> Says<U> {
        match self {
            Says::Read(value) => next(value),
            Says::Absent => Says::Absent,
            Says::Unreadable(why) => Says::Unreadable(why),
        }
    }

    /// True where there is nothing under that name.
    pub fn is_absent(&self) -> bool {
        matches!(self, Says::Absent)
    }

    /// True where it was read.
    pub fn is_read(&self) -> bool {
        matches!(self, Says::Read(_))
    }

    /// The reason why it could not be read, if that is the answer.
    pub fn why(&self) -> Option<&Why> {
        match self {
            Says::Unreadable(why) => Some(why),
            Says::Read(_) | Says::Absent => None,
        }
    }
}

/// Why something could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// Mode or owner forbid it (`EACCES`, `EPERM`).
    NotPermitted,
    /// A directory lies where a file is expected (`EISDIR`).
    IsDirectory,
    /// A part of the path is no directory (`ENOTDIR`).
    NotDirectory,
    /// A fifo, socket or device, which is never opened; the word says which.
    NotRegular(&'static str),
    /// Symlinks that lead into each other (`ELOOP`).
    Loop,
    /// A component or the whole path is too long (`ENAMETOOLONG`).
    NameTooLong,
    /// More than the doctor is willing to read; the bound is in the unit named.
    TooMuch {
        /// The bound.
        limit: u64,
        /// What is counted: `bytes`, `entries`, `rows`.
        unit: &'static str,
    },
    /// Another process holds it locked.
    Busy,
    /// It changed while it was read.
    Changed,
    /// Its bytes are not what they should be; the text says how.
    Damaged(String),
    /// Any other failure, in the system's words.
    Failed(String),
}

impl fmt::Display for Why {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::NotPermitted => out.write_str("permission denied"),
            Why::IsDirectory => out.write_str("it is a directory"),
            Why::NotDirectory => out.write_str("a part of the path is not a directory"),
            Why::NotRegular(kind) => write!(out, "it is a {kind}"),
            Why::Loop => out.write_str("symlinks lead in a circle"),
            Why::NameTooLong => out.write_str("the path is too long"),
            Why::TooMuch { limit, unit } => write!(out, "more than {limit} {unit}"),
            Why::Busy => out.write_str("another process holds it locked"),
            Why::Changed => out.write_str("it changed while it was read"),
            Why::Damaged(how) | Why::Failed(how) => out.write_str(how),
        }
    }
}

impl<T> From<io::Error> for Says<T> {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Says::Absent,
            io::ErrorKind::PermissionDenied => Says::Unreadable(Why::NotPermitted),
            io::ErrorKind::IsADirectory => Says::Unreadable(Why::IsDirectory),
            io::ErrorKind::NotADirectory => Says::Unreadable(Why::NotDirectory),
            io::ErrorKind::InvalidFilename => Says::Unreadable(Why::NameTooLong),
            io::ErrorKind::ResourceBusy => Says::Unreadable(Why::Busy),
            _ => Says::Unreadable(Why::Failed(error.to_string())),
        }
    }
}
