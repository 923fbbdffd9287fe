//! `rex-migrate schema`

use rusqlite::Connection;

use super::{CliError, Session};
use crate::error::MigrateError;

/// Print the SQL of a fresh store
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  rex-migrate schema --version 90")]
pub(super) struct Arguments {
    /// The schema version; the newest if left out.
    #[arg(long)]
    version: Option<i64>,
}

pub(super) fn run(arguments: &Arguments, session: &mut Session<'_>) -> Result<(), CliError> {
    let family = session.engine(true).family;
    let version = arguments.version.or(family.newest()).unwrap_or_default();
    let connection =
        Connection::open_in_memory().map_err(MigrateError::sqlite("open a database in memory"))?;
    if !(family.fresh)(&connection, version).map_err(MigrateError::from)? {
        return Err(CliError::Version { version });
    }
    let read = || -> rusqlite::Result<Vec<String>> {
        connection
            .prepare("SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")?
            .query_map([], |row| row.get(0))?
            .collect()
    };
    let statements = read().map_err(MigrateError::sqlite("read the schema"))?;
    session.say(&format!(
        "{}\nPRAGMA user_version = {version};",
        statements.join("\n")
    ))
}
