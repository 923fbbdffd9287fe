//! `rex-bench measure upgrade … RECORD.json`

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anstream::eprintln;
use clap::Args;

use super::super::generate::write_store;
use crate::error::BenchError;
use crate::generate::daemon::shapes;
use crate::measure::machine::{Machine, first_line};
use crate::measure::upgrade::Plan;
use crate::measure::{Record, SCHEMA, Series};

/// Measure the upgrade of daemon stores against VACUUM INTO of the same files
///
/// Base and candidate run in turns, each on a fresh copy; CPU and bytes are those of the child process.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  rex-bench measure upgrade --migrate target/release/rex-migrate docs/measurements/2026-12-01-upgrade.json
  rex-bench record docs/MEASUREMENTS.md")]
pub(super) struct Upgrade {
    /// The raw record to write
    out: PathBuf,
    /// The rex-migrate to measure
    #[arg(long, value_name = "PROGRAM")]
    migrate: PathBuf,
    /// Rows of the stores
    #[arg(long, value_delimiter = ',', default_values_t = [72_000, 720_000])]
    rows: Vec<u64>,
    /// Shapes of the stores
    #[arg(long, value_delimiter = ',', default_values_t = ["chat".to_owned(), "one-bot".to_owned()])]
    shapes: Vec<String>,
    /// Pairs behind a warm-up
    #[arg(long, default_value_t = 5)]
    pairs: usize,
    /// Where the stores and their copies lie
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    scratch: PathBuf,
    /// What changed on the hot path, in one paragraph
    #[arg(long, default_value = "")]
    change: String,
    /// What the section does not show
    #[arg(long, default_value = "")]
    limits: String,
}

impl Upgrade {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        if self.out.symlink_metadata().is_ok() {
            return Err(BenchError::OutputExists {
                path: self.out.clone(),
            });
        }
        let failed = |doing| {
            move |source| BenchError::File {
                doing,
                path: self.out.clone(),
                source,
            }
        };
        let bench = std::env::current_exe().map_err(failed("find the program that writes"))?;
        let migrate = self
            .migrate
            .canonicalize()
            .map_err(failed("find the program to measure for"))?;
        let scratch = self
            .scratch
            .canonicalize()
            .map_err(failed("find the scratch folder for"))?;
        let plan = Plan {
            bench,
            migrate,
            pairs: self.pairs,
            command_runs: 3,
            scratch,
        };
        let mut series = Vec::new();
        for shape in &self.shapes {
            for rows in &self.rows {
                series.push(measure(&plan, shape, *rows)?);
            }
        }
        let record = self.record(&plan.scratch, series);
        let text = serde_json::to_string_pretty(&record).map_err(|source| failed("write")(source.into()))?;
        fs::write(&self.out, text + "\n").map_err(failed("write"))
    }

    fn record(&self, scratch: &Path, series: Vec<Series>) -> Record {
        let id = self
            .out
            .file_stem()
            .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let commit = first_line(Command::new("git").args(["rev-parse", "--short=8", "HEAD"]));
        let out = format!("docs/measurements/{id}.json");
        let rows: Vec<String> = self.rows.iter().map(u64::to_string).collect();
        Record {
            schema: SCHEMA.to_owned(),
            title: "The upgrade of a daemon store from 90 to 91, against `VACUUM INTO`".to_owned(),
            date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
            base: "`VACUUM INTO` of the same file by the same SQLite".to_owned(),
            candidate: commit.unwrap_or_else(|| "unknown".to_owned()),
            change: self.change.clone(),
            limits: self.limits.clone(),
            command: format!(
                "rex-bench measure upgrade --migrate target/release/rex-migrate --shapes {} --rows {} --pairs {} {out}",
                self.shapes.join(","),
                rows.join(","),
                self.pairs
            ),
            machine: Machine::of(scratch),
            series,
            id,
        }
    }
}

/// Generates a store, measures it, and takes it away.
fn measure(plan: &Plan, name: &str, rows: u64) -> Result<Series, BenchError> {
    let Some(shape) = shapes::ALL.iter().find(|shape| shape.name == name) else {
        return Err(BenchError::UnknownShape {
            name: name.to_owned(),
        });
    };
    let folder = tempfile::tempdir_in(&plan.scratch).map_err(|source| BenchError::File {
        doing: "create a folder in",
        path: plan.scratch.clone(),
        source,
    })?;
    let store = folder.path().join("store.db");
    write_store(&store, &(shape.mix)(rows, shape.bots), 1, &mut |_| {}).map_err(|source| {
        BenchError::Sqlite {
            doing: "generate",
            path: store.clone(),
            source,
        }
    })?;
    plan.run(name, rows, &store, &|next| eprintln!("{next}"))
}
