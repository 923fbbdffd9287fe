//! `rex-migrate status`

use std::path::PathBuf;

use super::table::{bytes, pair, pairs};
use super::{CliError, Session};
use crate::error::MigrateError;
use crate::status::Status;
use crate::step::Options;

/// Say what a store is, who holds it, and which steps are pending. Leaves no trace
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  rex-migrate status bots.db")]
pub(super) struct Arguments {
    /// The store.
    store: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, session: &mut Session<'_>) -> Result<(), CliError> {
    let status = session
        .engine(session.family(&arguments.store), true)
        .status(&arguments.store, &Options::default())?;
    if arguments.json {
        session.say_json(&status)?;
    } else {
        session.say(&text(&status))?;
    }
    match status.refusals {
        refusals if refusals.is_empty() => Ok(()),
        refusals => Err(MigrateError::Refused { refusals }.into()),
    }
}

fn text(status: &Status) -> String {
    let version = status
        .version
        .map_or_else(String::new, |version| format!(", version {version}"));
    let kind = status
        .kind
        .as_deref()
        .unwrap_or("not a store that this tool knows");
    let steps = if status.steps_pending.is_empty() {
        "none".to_owned()
    } else {
        status.steps_pending.join(", ")
    };
    let mut rows = vec![
        pair("store", status.store.display()),
        pair("kind", format!("{kind}{version}")),
        pair("size", bytes(status.bytes)),
        pair("steps pending", steps),
    ];
    if status.wal_bytes > 0 {
        rows.push(pair("WAL", bytes(status.wal_bytes)));
    }
    if status.journal_bytes > 0 {
        rows.push(pair("journal", bytes(status.journal_bytes)));
    }
    for holder in &status.holders {
        let name = holder.name.as_deref().unwrap_or("a process");
        rows.push(pair("held by", format!("{name} ({})", holder.pid)));
    }
    for backup in &status.backups {
        let remark = if backup.receipt.is_some() {
            ""
        } else {
            ", without a receipt"
        };
        rows.push(pair(
            "backup",
            format!("{} ({}{remark})", backup.path.display(), bytes(backup.bytes)),
        ));
    }
    pairs(rows)
}
