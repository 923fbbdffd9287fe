//! `rex-bench generate KIND …`

use std::path::Path;

use clap::{Args, Subcommand};

use crate::error::BenchError;

pub(super) use self::store::write_store;

mod daemon;
mod review;
mod sessions;
mod store;

/// Generate a store or a home of known content
#[derive(Debug, Args)]
pub(super) struct Generate {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Debug, Subcommand)]
enum Kind {
    Daemon(daemon::Daemon),
    Review(review::Review),
    Sessions(sessions::Sessions),
}

impl Generate {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        match &self.kind {
            Kind::Daemon(daemon) => daemon.run(),
            Kind::Review(review) => review.run(),
            Kind::Sessions(sessions) => sessions.run(),
        }
    }
}

/// The folder that an output lies in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
