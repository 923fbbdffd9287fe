//! `rex-bench generate KIND …`

use clap::{Args, Subcommand};

use crate::error::BenchError;

mod daemon;

/// Generate a store or a home of known content
#[derive(Debug, Args)]
pub(super) struct Generate {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Debug, Subcommand)]
enum Kind {
    Daemon(daemon::Daemon),
}

impl Generate {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        match &self.kind {
            Kind::Daemon(daemon) => daemon.run(),
        }
    }
}
