//! The command line: arguments, what is printed, and the exit status. One command per file.

pub mod bar;
mod completions;
mod error;
mod explain;
mod manual;
mod plan;
mod restore;
mod schema;
mod status;
mod table;
mod up;
mod verify;

use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Parser, Subcommand};
use rex_store::identify::identify;
use serde::Serialize;

pub use error::CliError;
pub use explain::ExplanationRecord;

use crate::clock::Clock;
use crate::engine::{CACHE_BYTES, Engine};
use crate::exit_code;
use crate::family::{self, Family};
use crate::files::Files;
use crate::progress::{Progress, Silent};

/// Upgrades old conversation stores in place, proven before the commit.
#[derive(Debug, Parser)]
#[command(name = "rex-migrate", version, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  rex-migrate status bots.db           what the store is, and what an upgrade would run
  rex-migrate up --dry-run bots.db     the whole upgrade on a private copy, thrown away
  rex-migrate up bots.db               the upgrade, with a backup and a receipt beside the store
  rex-migrate restore bots.db          the newest backup back in place";

#[derive(Debug, Subcommand)]
enum Command {
    Status(status::Arguments),
    Plan(plan::Arguments),
    Up(up::Arguments),
    Verify(verify::Arguments),
    Restore(restore::Arguments),
    Explain(explain::Arguments),
    Schema(schema::Arguments),
    Completions(completions::Arguments),
    #[command(hide = true)]
    Manual(manual::Arguments),
}

/// What a command may use of the world.
pub struct Session<'a> {
    /// Where results go.
    pub out: Box<dyn Write + 'a>,
    /// Where errors and questions go.
    pub err: Box<dyn Write + 'a>,
    /// Where answers come from.
    pub input: Box<dyn BufRead + 'a>,
    /// Whether a person is there to answer.
    pub can_ask: bool,
    /// A folder for private copies.
    pub scratch: PathBuf,
    /// Time, and use of the machine.
    pub clock: &'a dyn Clock,
    /// The file operations beside SQLite's.
    pub files: &'a dyn Files,
    /// Told how far the work is.
    pub progress: Arc<dyn Progress>,
}

impl<'a> Session<'a> {
    fn engine(&self, family: Family<'static>, is_quiet: bool) -> Engine<'a> {
        Engine {
            family,
            files: self.files,
            clock: self.clock,
            progress: if is_quiet {
                Arc::new(Silent)
            } else {
                Arc::clone(&self.progress)
            },
            scratch: self.scratch.clone(),
            cache_bytes: CACHE_BYTES,
        }
    }

    /// The family of a store; what cannot be read is left for the look to say.
    fn family(&self, store: &Path) -> Family<'static> {
        identify(store, &self.scratch).map_or(family::DAEMON, |identity| family::of(identity.kind))
    }

    fn say(&mut self, text: &str) -> Result<(), CliError> {
        self.progress.end();
        writeln!(self.out, "{text}").map_err(|source| CliError::Output { source })
    }

    fn say_json(&mut self, value: &impl Serialize) -> Result<(), CliError> {
        let text = serde_json::to_string_pretty(value).map_err(|source| CliError::Output {
            source: source.into(),
        })?;
        self.say(&text)
    }
}

/// The parser, for completions and manual pages.
pub fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

/// Runs one command line; the first argument is the program's name. Returns the exit status.
pub fn main(arguments: impl IntoIterator<Item = OsString>, session: &mut Session<'_>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too. There is nobody to tell when the terminal is gone.
            let target = if error.use_stderr() {
                &mut session.err
            } else {
                &mut session.out
            };
            let _unwritten = write!(target, "{}", error.render().ansi());
            return if error.use_stderr() {
                exit_code::USAGE
            } else {
                exit_code::DONE
            };
        }
    };
    let done = run(cli.command, session);
    session.progress.end();
    match done {
        Ok(()) => exit_code::DONE,
        Err(error) => {
            let _unwritten = error.print(&mut session.err);
            exit_code::of(&error)
        }
    }
}

fn run(command: Command, session: &mut Session<'_>) -> Result<(), CliError> {
    match command {
        Command::Status(arguments) => status::run(&arguments, session),
        Command::Plan(arguments) => plan::run(&arguments, session),
        Command::Up(arguments) => up::run(&arguments, session),
        Command::Verify(arguments) => verify::run(&arguments, session),
        Command::Restore(arguments) => restore::run(&arguments, session),
        Command::Explain(arguments) => explain::run(&arguments, session),
        Command::Schema(arguments) => schema::run(&arguments, session),
        Command::Completions(arguments) => completions::run(&arguments, session),
        Command::Manual(arguments) => manual::run(&arguments, session),
    }
}
