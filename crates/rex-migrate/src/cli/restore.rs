//! `rex-migrate restore`

use std::path::PathBuf;

use super::table::{pair, pairs};
use super::{CliError, Session};
use crate::family;

/// Put a backup back in place, in one rename, and keep the upgraded file aside
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rex-migrate restore bots.db                                        the newest backup beside it
  rex-migrate restore bots.db bots.db.backup-v90-20261130T120000Z    this one")]
pub(super) struct Arguments {
    /// The store.
    store: PathBuf,
    /// The backup; its receipt must lie beside it.
    backup: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, session: &mut Session<'_>) -> Result<(), CliError> {
    let restored = session
        .engine(family::DAEMON, false)
        .restore(&arguments.store, arguments.backup.as_deref())?;
    let mut rows = vec![
        pair("restored", restored.store.display()),
        pair("from", restored.backup.display()),
    ];
    rows.extend(restored.aside.map(|aside| pair("kept aside", aside.display())));
    session.say(&pairs(rows))
}
