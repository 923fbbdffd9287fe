//! What can keep the bench from doing its work.

use std::path::PathBuf;

/// An error of `rex-bench`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The output is there already, and nothing is overwritten.
    #[error("{path} exists already", path = .path.display())]
    OutputExists {
        /// The output.
        path: PathBuf,
    },
    /// A file could not be written or read.
    #[error("cannot {doing} {path}", path = .path.display())]
    File {
        /// An infinitive.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// SQLite could not do what was asked.
    #[error("cannot {doing} {path}", path = .path.display())]
    Sqlite {
        /// An infinitive.
        doing: &'static str,
        /// The database.
        path: PathBuf,
        /// SQLite's reason.
        #[source]
        source: rusqlite::Error,
    },
    /// A measured program did not end well.
    #[error("{program} ended with {status}")]
    Child {
        /// The program.
        program: String,
        /// How it ended.
        status: std::process::ExitStatus,
    },
    /// The upgrade that was to be measured failed.
    #[error("cannot upgrade {path}", path = .path.display())]
    Upgrade {
        /// The store.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<rex_migrate::error::MigrateError>,
    },
    /// No shape has that name.
    #[error("no shape is called {name}")]
    UnknownShape {
        /// The name.
        name: String,
    },
    /// A raw record cannot be read.
    #[error("{path} is no record", path = .path.display())]
    Record {
        /// The record.
        path: PathBuf,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
}

impl BenchError {
    /// The one thing to do next.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::OutputExists { .. } => Some("choose another name, or remove it first"),
            Self::File { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => {
                Some("free space on that disk, or write to another one")
            }
            Self::Child { .. } => Some("run it by hand: its own message says why"),
            Self::UnknownShape { .. } => Some("`rex-bench generate daemon --help` lists the shapes"),
            Self::File { .. } | Self::Sqlite { .. } | Self::Upgrade { .. } | Self::Record { .. } => None,
        }
    }
}
