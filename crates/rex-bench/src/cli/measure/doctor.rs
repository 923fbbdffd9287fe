//! `rex-bench measure doctor … RECORD.json`

use std::path::{Path, PathBuf};

use anstream::eprintln;
use clap::Args;

use super::{Described, id_of, refuse_existing, write};
use crate::error::BenchError;
use crate::generate::sessions::{self, Sizes, long};
use crate::measure::doctor::Plan;
use crate::measure::{Record, Series, Subject};

/// Measure the doctor on a generated home against cat of the same files
///
/// Base and candidate run in turns on one home, warm; then each command alone. Two more homes hold one log of 4 GB, of
/// two million rows and of ten million, for the memory that the doctor needs; --short leaves them out.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  rex-bench measure doctor --doctor target/release/rex-doctor docs/measurements/2026-12-01-doctor.json
  rex-bench record docs/MEASUREMENTS.md")]
pub(super) struct Doctor {
    /// The raw record to write
    out: PathBuf,
    /// The rex-doctor to measure
    #[arg(long = "doctor", value_name = "PROGRAM")]
    program: PathBuf,
    /// Another program to time on the same home, as NAME=PROGRAM ARGUMENT…
    #[arg(long, value_name = "NAME=COMMAND", value_parser = parse_other)]
    other: Vec<(String, Vec<String>)>,
    /// Leave the very long logs out
    #[arg(long)]
    short: bool,
    /// Pairs behind a warm-up
    #[arg(long, default_value_t = 5)]
    pairs: usize,
    /// Where the homes lie
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    scratch: PathBuf,
    #[command(flatten)]
    described: Described,
}

/// Rows and bytes of a row of the very long logs: 4 GB each.
const LONG: [(&str, u64, usize); 2] = [
    ("one log of 4 GB", 2_000_000, 1700),
    ("one log of ten million rows", 10_000_000, 100),
];

fn parse_other(text: &str) -> Result<(String, Vec<String>), String> {
    let (name, command) = text.split_once('=').ok_or("give NAME=COMMAND")?;
    let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() {
        return Err("the command is empty".to_owned());
    }
    Ok((name.to_owned(), words))
}

impl Doctor {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        refuse_existing(&self.out)?;
        let found = |path: &Path| {
            path.canonicalize().map_err(|source| BenchError::File {
                doing: "find",
                path: path.to_owned(),
                source,
            })
        };
        let scratch = found(&self.scratch)?;
        let mut plan = Plan {
            doctor: found(&self.program)?,
            others: self.other.clone(),
            pairs: self.pairs,
            command_runs: 5,
        };
        let mut series = vec![measure(&plan, &scratch, "2,000 sessions", &|home| {
            let sizes = Sizes {
                claude: 1000,
                codex: 1000,
                bytes: 500_000_000,
            };
            sessions::generate(home, home, sizes, 1, &mut |_| {})
        })?];
        plan.others.clear();
        plan.pairs = 1;
        plan.command_runs = 1;
        for (name, rows, row_bytes) in LONG.iter().filter(|_| !self.short) {
            series.push(measure(&plan, &scratch, name, &|home| {
                long::generate(home, *rows, *row_bytes)
            })?);
        }
        write(&self.out, &self.record(&scratch, series))
    }

    fn record(&self, scratch: &Path, series: Vec<Series>) -> Record {
        let id = id_of(&self.out);
        let short = if self.short { "--short " } else { "" };
        let command = format!(
            "rex-bench measure doctor {short}--doctor target/release/rex-doctor docs/measurements/{id}.json"
        );
        Record {
            subject: Subject::Doctor,
            ..self.described.record(
                id,
                "The doctor on a generated home, against `cat` of the same files",
                "`cat` of every file of the home into a pipe",
                command,
                (scratch, series),
            )
        }
    }
}

/// Makes a home, measures it, and takes it away.
fn measure(
    plan: &Plan,
    scratch: &Path,
    name: &str,
    generate: &dyn Fn(&Path) -> Result<(), BenchError>,
) -> Result<Series, BenchError> {
    let home = tempfile::tempdir_in(scratch).map_err(|source| BenchError::File {
        doing: "create a folder in",
        path: scratch.to_owned(),
        source,
    })?;
    generate(home.path())?;
    plan.run(name, home.path(), &|next| eprintln!("{next}"))
}
