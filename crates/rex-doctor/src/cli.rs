//! The command line: parses the arguments, makes the places, and runs one command. One command per file.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use jiff::Timestamp;

use crate::exit_status::ExitStatus;
use crate::place::{Place, PlaceError, Setting};
use crate::report::Style;

mod asked;
mod check;
mod completions;
mod explain;
mod list_checks;
mod man;
mod session;
mod sessions;

use asked::{Show, Where};

/// What the binary passes in.
pub struct Outside<'a> {
    /// The arguments, the program's name first.
    pub arguments: Vec<OsString>,
    /// The environment.
    pub environment: BTreeMap<OsString, OsString>,
    /// The folder the doctor was started in.
    pub current_dir: PathBuf,
    /// A folder for scratch files, outside every home.
    pub scratch: PathBuf,
    /// The time.
    pub now: Timestamp,
    /// How many threads may read at once.
    pub workers: usize,
    /// Whether a person looks at the output.
    pub is_terminal: bool,
    /// Standard output.
    pub out: &'a mut dyn Write,
    /// Standard error.
    pub err: &'a mut dyn Write,
}

/// Says why a conversation with an AI agent does not come back, and what brings it back.
///
/// Without a command it checks every agent found on this machine. It reads the agents' own files, writes nothing below
/// their homes and never uses the network.
#[derive(Debug, Parser)]
#[command(name = "rex-doctor", version, after_help = AFTER_HELP, max_term_width = 100)]
struct Arguments {
    #[command(flatten)]
    place: Where,
    #[command(flatten)]
    show: Show,
    #[command(flatten)]
    check: check::Arguments,
    #[command(subcommand)]
    command: Option<Command>,
}

const AFTER_HELP: &str = "Examples:
  rex-doctor
  rex-doctor sessions --problems
  rex-doctor session 4f0c9a1e

Exit status: 0 nothing at or above --severity-min, 1 findings, 2 could not run or wrong usage, \
3 nobody has any trace of the session, 4 the argument is ambiguous, 5 a store stayed busy.";

#[derive(Debug, Subcommand)]
enum Command {
    #[command(after_help = check::EXAMPLES)]
    Check(check::Arguments),
    #[command(after_help = sessions::EXAMPLES)]
    Sessions(sessions::Arguments),
    #[command(after_help = session::EXAMPLES)]
    Session(session::Arguments),
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::Arguments),
    #[command(after_help = list_checks::EXAMPLES)]
    ListChecks(list_checks::Arguments),
    #[command(after_help = completions::EXAMPLES)]
    Completions(completions::Arguments),
    #[command(hide = true)]
    Man(man::Arguments),
}

/// Why a command could not run.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// The arguments make no sense.
    #[error("{what}")]
    Usage { what: String, hint: String },
    /// There is nowhere to look.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The report could not be written.
    #[error("cannot write the report")]
    Write(#[from] io::Error),
}

/// What every command works with.
struct Ready<'a> {
    places: Vec<Place>,
    asked: Where,
    show: Show,
    style: Style,
    out: &'a mut dyn Write,
}

/// The command line as clap knows it, for the pages that are generated from it.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Runs the command that the arguments name and returns the exit status.
pub fn run(outside: &mut Outside<'_>) -> u8 {
    let parsed = command()
        .try_get_matches_from(&outside.arguments)
        .and_then(|matches| Arguments::from_arg_matches(&matches));
    let status = match parsed {
        Ok(arguments) => match dispatch(arguments, outside) {
            Ok(status) => status,
            Err(Failure::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitStatus::Healthy,
            Err(failure) => complain(&failure, outside),
        },
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            drop(write!(outside.out, "{}", error.render()));
            ExitStatus::Healthy
        }
        Err(error) => {
            drop(write!(outside.err, "{}", error.render()));
            ExitStatus::Failed
        }
    };
    status.code()
}

fn dispatch(arguments: Arguments, outside: &mut Outside<'_>) -> Result<ExitStatus, Failure> {
    let Arguments {
        place,
        show,
        check,
        command,
    } = arguments;
    let no_place = matches!(
        command,
        Some(Command::Explain(_) | Command::ListChecks(_) | Command::Completions(_) | Command::Man(_))
    );
    let places = if no_place {
        vec![]
    } else {
        Place::all(&setting(&place, outside)?)?
    };
    let style = Style::new(outside, show.ascii);
    let mut ready = Ready {
        places,
        asked: place,
        show,
        style,
        out: outside.out,
    };
    if command.is_some() && !check.is_empty() {
        return Err(Failure::Usage {
            what: "options of check stand before another command".to_owned(),
            hint: "put the options behind the command".to_owned(),
        });
    }
    match command {
        None => check::run(&check, &mut ready),
        Some(Command::Check(arguments)) => check::run(&arguments, &mut ready),
        Some(Command::Sessions(arguments)) => sessions::run(&arguments, &mut ready),
        Some(Command::Session(arguments)) => session::run(&arguments, &mut ready),
        Some(Command::Explain(arguments)) => explain::run(&arguments, &mut ready),
        Some(Command::ListChecks(arguments)) => list_checks::run(&arguments, &mut ready),
        Some(Command::Completions(arguments)) => completions::run(&arguments, &mut ready),
        Some(Command::Man(arguments)) => man::run(&arguments, &mut ready),
    }
}

fn setting(asked: &Where, outside: &Outside<'_>) -> Result<Setting, Failure> {
    let now = match asked.now.as_deref().map(str::parse::<Timestamp>) {
        None => outside.now,
        Some(Ok(time)) => time,
        Some(Err(error)) => {
            return Err(Failure::Usage {
                what: format!("--now: {error}"),
                hint: "write it as 2026-01-31T12:00:00Z".to_owned(),
            });
        }
    };
    Ok(Setting {
        root: asked.root.clone(),
        cwd: asked.cwd.clone(),
        current_dir: outside.current_dir.clone(),
        environment: outside.environment.clone(),
        now,
        scratch: outside.scratch.clone(),
        workers: outside.workers,
    })
}

fn complain(failure: &Failure, outside: &mut Outside<'_>) -> ExitStatus {
    let mut text = format!("error: {failure}\n");
    let mut cause = std::error::Error::source(failure);
    while let Some(error) = cause {
        text.extend(["caused by: ", &error.to_string(), "\n"]);
        cause = error.source();
    }
    let hint = match failure {
        Failure::Usage { hint, .. } => hint.as_str(),
        Failure::Place(error) => error.hint(),
        Failure::Write(_) => "",
    };
    if !hint.is_empty() {
        text.extend(["hint: ", hint, "\n"]);
    }
    // Nobody is left to tell if standard error is gone.
    drop(outside.err.write_all(text.as_bytes()));
    ExitStatus::Failed
}
