//! `rex-bench measure WHAT …`

use std::fs;
use std::path::Path;
use std::process::Command;

use clap::{Args, Subcommand};

use crate::error::BenchError;
use crate::measure::machine::{Machine, first_line};
use crate::measure::{Record, SCHEMA, Series, Subject};

mod doctor;
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
    Doctor(doctor::Doctor),
    Phases(phases::Phases),
    Vacuum(vacuum::Vacuum),
}

impl Measure {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        match &self.what {
            What::Upgrade(upgrade) => upgrade.run(),
            What::Doctor(doctor) => doctor.run(),
            What::Phases(phases) => phases.run(),
            What::Vacuum(vacuum) => vacuum.run(),
        }
    }
}

/// What a person says about a record.
#[derive(Debug, Args)]
struct Described {
    /// What changed on the hot path, in one paragraph
    #[arg(long, default_value = "")]
    change: String,
    /// What the section does not show
    #[arg(long, default_value = "")]
    limits: String,
}

impl Described {
    fn record(
        &self,
        id: String,
        title: &str,
        base: &str,
        command: String,
        (scratch, series): (&Path, Vec<Series>),
    ) -> Record {
        let commit = first_line(Command::new("git").args(["rev-parse", "--short=8", "HEAD"]));
        Record {
            schema: SCHEMA.to_owned(),
            subject: Subject::Upgrade,
            id,
            date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
            title: title.to_owned(),
            base: base.to_owned(),
            candidate: commit.unwrap_or_else(|| "unknown".to_owned()),
            change: self.change.clone(),
            limits: self.limits.clone(),
            command,
            machine: Machine::of(scratch),
            series,
        }
    }
}

/// A record is named after its file.
fn id_of(out: &Path) -> String {
    out.file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

fn refuse_existing(out: &Path) -> Result<(), BenchError> {
    match out.symlink_metadata() {
        Ok(_) => Err(BenchError::OutputExists { path: out.to_owned() }),
        Err(_) => Ok(()),
    }
}

fn write(out: &Path, record: &Record) -> Result<(), BenchError> {
    let failed = |source| BenchError::File {
        doing: "write",
        path: out.to_owned(),
        source,
    };
    let text = serde_json::to_string_pretty(record).map_err(|source| failed(source.into()))?;
    fs::write(out, text + "\n").map_err(failed)
}
