//! The command line: one subcommand a file.

use std::error::Error as _;
use std::ffi::OsString;

use anstream::eprintln;
use clap::{Parser, Subcommand};

use crate::error::BenchError;
use crate::exit_code;

mod completions;
mod generate;
mod measure;
mod record;

const AFTER_HELP: &str = "\
Exit status: 0 done; 1 failed, nothing left behind; 2 wrong usage; 3 refused, nothing changed.

Examples:
  rex-bench generate daemon chat --rows 72000 --seed 1 chat.db
  rex-bench completions bash > rex-bench.bash";

/// Generates stores and gates their cost in CI.
#[derive(Debug, Parser)]
#[command(name = "rex-bench", version, after_help = AFTER_HELP)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Generate(generate::Generate),
    Measure(measure::Measure),
    Record(record::Record),
    Completions(completions::Completions),
}

/// Runs the command line and returns the exit status.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // A closed pipe is no reason to fail: nobody reads the rest.
            drop(error.print());
            return if error.use_stderr() {
                exit_code::USAGE
            } else {
                exit_code::DONE
            };
        }
    };
    let done = match cli.command {
        Command::Generate(generate) => generate.run(),
        Command::Measure(measure) => measure.run(),
        Command::Record(record) => record.run(),
        Command::Completions(completions) => completions.run(),
    };
    match done {
        Ok(()) => exit_code::DONE,
        Err(error) => {
            report(&error);
            exit_code::of(&error)
        }
    }
}

fn report(error: &BenchError) {
    eprintln!("error: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        eprintln!("caused by: {cause}");
        source = cause.source();
    }
    if let Some(hint) = error.hint() {
        eprintln!("hint: {hint}");
    }
}
