//! `rex-bench measure upgrade … RECORD.json`

use std::path::{Path, PathBuf};

use anstream::eprintln;
use clap::Args;

use super::super::generate::write_store;
use super::{Described, id_of, refuse_existing, write};
use crate::error::BenchError;
use crate::generate::daemon::shapes;
use crate::measure::upgrade::Plan;
use crate::measure::{Record, Series};

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
    #[command(flatten)]
    described: Described,
}

impl Upgrade {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        refuse_existing(&self.out)?;
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
        write(&self.out, &self.record(&plan.scratch, series))
    }

    fn record(&self, scratch: &Path, series: Vec<Series>) -> Record {
        let id = id_of(&self.out);
        let rows: Vec<String> = self.rows.iter().map(u64::to_string).collect();
        let command = format!(
            "rex-bench measure upgrade --migrate target/release/rex-migrate --shapes {} --rows {} --pairs {} docs/measurements/{id}.json",
            self.shapes.join(","),
            rows.join(","),
            self.pairs
        );
        self.described.record(
            id,
            "The upgrade of a daemon store from 90 to 91, against `VACUUM INTO`",
            "`VACUUM INTO` of the same file by the same SQLite",
            command,
            (scratch, series),
        )
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
