//! `rex-bench measure WHAT …`

use clap::{Args, Subcommand};

use crate::error::BenchError;

mod phases;
mod upgrade;
mod vacuum;

/// Measure and write a raw record
#[derive(Debug, Args)]
pub(super) struct Measure {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Upgrade(upgrade::Upgrade),
    Phases(phases::Phases),
    Vacuum(vacuum::Vacuum),
}

impl Measure {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        match &self.what {
            What::Upgrade(upgrade) => upgrade.run(),
            What::Phases(phases) => phases.run(),
            What::Vacuum(vacuum) => vacuum.run(),
        }
    }
}
