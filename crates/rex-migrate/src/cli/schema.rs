//! `rex-migrate schema`

use rusqlite::Connection;

use super::{CliError, Session};
use crate::error::MigrateError;
use crate::family::{self, Family, Told};

/// Print the SQL of a fresh store
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  rex-migrate schema --version 90\n  rex-migrate schema --kind review")]
pub(super) struct Arguments {
    /// Which store.
    #[arg(long, value_enum, default_value_t = Kind::Daemon)]
    kind: Kind,
    /// The schema version, of a review store its generation; the newest if left out.
    #[arg(long)]
    version: Option<i64>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Kind {
    Daemon,
    Review,
}

impl Kind {
    fn family(self) -> Family<'static> {
        match self {
            Self::Daemon => family::DAEMON,
            Self::Review => family::REVIEW,
        }
    }
}

pub(super) fn run(arguments: &Arguments, session: &mut Session<'_>) -> Result<(), CliError> {
    let family = arguments.kind.family();
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
    let text = statements.join(
        "
",
    );
    match family.told {
        Told::Number => session.say(&format!(
            "{text}
PRAGMA user_version = {version};"
        )),
        Told::Columns(_) => session.say(&text),
    }
}
