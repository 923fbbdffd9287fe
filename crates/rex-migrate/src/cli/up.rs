//! `rex-migrate up`

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value};
use tempfile::TempDir;

use super::table::{bytes, grid, pair, pairs};
use super::{CliError, Session};
use crate::engine::{Done, Keep, Request, Target, Upgraded};
use crate::error::MigrateError;
use crate::family::Family;
use crate::look::{Depth, Look};
use crate::receipt::Receipt;
use crate::step::{Options, Refusal};

/// Upgrade a store in place, with a backup, proven before the commit
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rex-migrate up --dry-run bots.db       all of it on a private copy, thrown away
  rex-migrate up bots.db                 asks, then upgrades; backup and receipt lie beside the store
  rex-migrate up --yes --json bots.db    for scripts: the receipt on standard output
  rex-migrate up --to new.db bots.db     the upgraded copy in a new file, the store left alone")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub(super) struct Arguments {
    /// The store; with --dry-run also a .sql fixture, which is loaded into a scratch store.
    store: PathBuf,
    /// Write without asking.
    #[arg(long)]
    yes: bool,
    /// Do all of it on a private copy and throw that away; never asks.
    #[arg(long, conflicts_with_all = ["to", "backup", "no_backup"])]
    dry_run: bool,
    /// Write the upgraded copy to FILE, which must not exist, and leave the store alone.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["backup", "no_backup"])]
    to: Option<PathBuf>,
    /// Put the backup at PATH, which must not exist, instead of beside the store.
    #[arg(long, value_name = "PATH", conflicts_with = "no_backup")]
    backup: Option<PathBuf>,
    /// Keep no backup.
    #[arg(long)]
    no_backup: bool,
    /// Rewrite the upgraded file without free pages.
    #[arg(long)]
    compact: bool,
    /// Carry unknown tables over, and unknown columns, indexes and triggers of tables that are not replaced.
    #[arg(long)]
    keep_unknown: bool,
    /// The version, of a review store the generation, of the application that will open the store: refused if it is older
    /// than what an upgrade writes.
    #[arg(long, value_name = "VERSION")]
    target: Option<i64>,
    /// Print the receipt as JSON.
    #[arg(long)]
    json: bool,
    /// Print nothing but errors.
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn run(arguments: &Arguments, session: &mut Session<'_>) -> Result<(), CliError> {
    let fixture = load(arguments, &session.scratch)?;
    let store = fixture.as_ref().map_or_else(
        || arguments.store.clone(),
        |folder| folder.path().join("store.db"),
    );
    let engine = session.engine(session.family(&store), arguments.quiet);
    refuse_older(arguments.target, engine.family)?;
    let options = Options {
        keep_unknown: arguments.keep_unknown,
    };
    let mut look = engine.look(&store, &options, Depth::Full)?;
    if fixture.is_some() {
        look.called.clone_from(&arguments.store);
    }
    if arguments.dry_run && look.refusals.is_empty() && !arguments.json && !arguments.quiet {
        let plan = engine.plan_of(&look)?;
        session.say(&super::plan::text(&plan))?;
        session.say("")?;
    }
    let request = Request {
        target: arguments.target(),
        options,
        compact: arguments.compact,
    };
    if is_pending(&look) && !arguments.dry_run {
        confirm(arguments, &look, session)?;
    }
    let done = engine.up(&look, &request)?;
    tell(arguments, &look, &done, session)
}

impl Arguments {
    fn target(&self) -> Target {
        match (&self.to, &self.backup) {
            _ if self.dry_run => Target::Nowhere,
            (Some(file), _) => Target::Elsewhere(file.clone()),
            (None, Some(path)) => Target::InPlace(Keep::At(path.clone())),
            (None, None) if self.no_backup => Target::InPlace(Keep::Nothing),
            (None, None) => Target::InPlace(Keep::Beside),
        }
    }
}

/// A newer application reads what is written here; an older one was never made for it.
fn refuse_older(target: Option<i64>, family: Family<'_>) -> Result<(), MigrateError> {
    match (target, family.newest()) {
        (Some(target), Some(newest)) if target < newest => Err(MigrateError::Refused {
            refusals: vec![Refusal {
                cause: format!(
                    "an upgrade leads to version {newest}, and an application of version {target} is older"
                ),
                hint: "update the application first, or leave the store as it is".to_owned(),
            }],
        }),
        _ => Ok(()),
    }
}

/// Whether there is anything to ask about; a refused store is refused by the engine.
fn is_pending(look: &Look) -> bool {
    look.refusals.is_empty() && look.found.as_ref().is_some_and(|found| !found.steps.is_empty())
}

/// Loads a fixture into a scratch store; `None` for a store.
fn load(arguments: &Arguments, scratch: &Path) -> Result<Option<TempDir>, CliError> {
    let path = &arguments.store;
    if !arguments.dry_run || path.extension().is_none_or(|ending| ending != "sql") {
        return Ok(None);
    }
    let run = || -> Result<TempDir, Box<dyn std::error::Error + Send + Sync>> {
        let text = std::fs::read_to_string(path)?;
        let folder = tempfile::Builder::new()
            .prefix("rex-migrate-")
            .tempdir_in(scratch)?;
        let connection = Connection::open_with_flags(folder.path().join("store.db"), OpenFlags::default())?;
        // A fixture may show broken references, and it is thrown away.
        connection.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF;")?;
        connection.execute_batch(&text)?;
        Ok(folder)
    };
    run().map(Some).map_err(|source| CliError::Script {
        path: path.clone(),
        source,
    })
}

fn confirm(arguments: &Arguments, look: &Look, session: &mut Session<'_>) -> Result<(), CliError> {
    if arguments.yes {
        return Ok(());
    }
    if !session.can_ask {
        return Err(CliError::NobodyToAsk);
    }
    session.progress.end();
    let output = |source| CliError::Output { source };
    let kept = match arguments.target() {
        Target::InPlace(Keep::Nothing) => "without a backup".to_owned(),
        Target::InPlace(Keep::At(path)) => format!("with a backup at {}", path.display()),
        Target::InPlace(Keep::Beside) | Target::Nowhere => "with a backup beside it".to_owned(),
        Target::Elsewhere(file) => format!("into {}", file.display()),
    };
    let (store, size) = (look.store.display(), bytes(look.bytes));
    write!(session.err, "Upgrade {store} ({size}) {kept}? [y/N] ").map_err(output)?;
    session.err.flush().map_err(output)?;
    let mut answer = String::new();
    session.input.read_line(&mut answer).map_err(output)?;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(CliError::Declined),
    }
}

fn tell(arguments: &Arguments, look: &Look, done: &Done, session: &mut Session<'_>) -> Result<(), CliError> {
    let notes = match done {
        Done::NothingToDo => &[][..],
        Done::Upgraded(upgraded) => &upgraded.notes,
    };
    session.progress.end();
    for note in notes {
        writeln!(session.err, "warning: {note}").map_err(|source| CliError::Output { source })?;
    }
    if arguments.quiet {
        return Ok(());
    }
    let version = look.found.as_ref().map(|found| found.version).unwrap_or_default();
    match done {
        Done::NothingToDo if arguments.json => session.say_json(&Receipt::of_nothing(&look.called, version)),
        Done::NothingToDo => session.say(&format!(
            "{} is at version {version} already: nothing to do.",
            look.called.display()
        )),
        Done::Upgraded(upgraded) if arguments.json => session.say_json(&upgraded.receipt),
        Done::Upgraded(upgraded) => session.say(&text(upgraded, arguments.dry_run)),
    }
}

fn text(upgraded: &Upgraded, is_dry_run: bool) -> String {
    let receipt = &upgraded.receipt;
    let verb = if is_dry_run {
        "could be upgraded"
    } else {
        "upgraded"
    };
    let mut rows = vec![
        pair("store", receipt.store.display()),
        pair(
            verb,
            format!(
                "from {} to {} in {:.2} seconds",
                receipt.from, receipt.to, receipt.seconds
            ),
        ),
    ];
    if let Some(backup) = &receipt.backup {
        let how = if backup.reflink {
            " (shares its blocks)"
        } else {
            ""
        };
        rows.push(pair("backup", format!("{}{how}", backup.path.display())));
    }
    rows.extend(
        upgraded
            .receipt_path
            .as_deref()
            .map(|path: &Path| pair("receipt", path.display())),
    );
    rows.extend(
        receipt
            .cpu_seconds
            .map(|seconds| pair("CPU", format!("{seconds:.2} seconds"))),
    );
    rows.extend(
        receipt
            .bytes_written
            .map(|written| pair("written", bytes(written))),
    );
    rows.extend(
        receipt
            .peak_memory_bytes
            .map(|peak| pair("peak memory", bytes(peak))),
    );
    let facts = receipt
        .tables
        .iter()
        .filter(|proof| proof.rows_before + proof.rows_after > 0);
    let facts = facts
        .map(|proof| {
            [
                proof.name.clone(),
                proof.rows_after.to_string(),
                proof.rule.clone(),
            ]
        })
        .collect();
    let proof = grid(["proven equal", "rows", "rule"], &[1], facts);
    format!("{}\n\n{proof}{}", pairs(rows), self::report(&receipt.report))
}

/// What the steps report, numbers only.
pub(super) fn report(report: &Map<String, Value>) -> String {
    let Some(Value::Object(attribution)) = report.get("attribution") else {
        return String::new();
    };
    let mut rows = Vec::new();
    for (name, value) in attribution {
        match value {
            Value::Object(rules) => rows.extend(
                rules
                    .iter()
                    .map(|(rule, count)| [format!("rule {rule}"), count.to_string()]),
            ),
            count => rows.push([name.clone(), count.to_string()]),
        }
    }
    format!("\n\n{}", grid(["messages", "count"], &[1], rows))
}
