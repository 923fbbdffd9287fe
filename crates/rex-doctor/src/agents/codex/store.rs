//! Reads Codex's SQLite files: the row that picks a session's log, the rows that a listing shows, and
//! what the migrations say. Judges nothing.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row as SqlRow, params};

use super::row::{row_of, selection};
use crate::evidence::{Says, Why};
use crate::place::{Kind, Place, Stat};

pub(super) mod archived_flag;
pub(super) mod backfill_stuck;
pub(super) mod cursor_behind;
pub(super) mod foreign_path;
pub(super) mod history_db_damaged;
pub(super) mod locked;
pub(super) mod migration_altered;
pub(super) mod migration_dirty;
pub(super) mod no_row;
pub(super) mod read_only;
pub(super) mod row_without_log;
pub(super) mod schema_differs;
pub(super) mod schema_newer;
pub(super) mod side_damaged;
pub(super) mod stale_path;
pub(super) mod unreadable;

/// How many of the newest rows a listing is judged by.
const NEWEST: u32 = 500;

/// The columns of `threads` that the client asks for, in the order in which it asks. A missing one is named in its error.
pub(super) const COLUMNS: &[&str] = &[
    "id",
    "attached_thread_parent_id",
    "rollout_path",
    "created_at_ms",
    "updated_at_ms",
    "recency_at_ms",
    "source",
    "originator",
    "creator_user_id",
    "creator_account_id",
    "history_mode",
    "thread_source",
    "agent_nickname",
    "agent_role",
    "agent_path",
    "model_provider",
    "model",
    "reasoning_effort",
    "cwd",
    "cli_version",
    "title",
    "name",
    "preview",
    "sandbox_policy",
    "approval_mode",
    "tokens_used",
    "first_user_message",
    "archived_at",
    "thread_section_id",
    "section_position",
    "section_entered_at_ms",
    "project_id",
    "daybreak_enabled",
    "git_sha",
    "git_branch",
    "git_origin_url",
];

/// What opening one SQLite file came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Opening<T> {
    /// There is none, or one of 0 bytes: the client makes a new one.
    Absent,
    /// It was read.
    Read(T),
    /// It could not be.
    Broken(Fault),
}

impl<T> Opening<T> {
    /// What was read, if anything was.
    pub(super) fn read(&self) -> Option<&T> {
        match self {
            Opening::Read(value) => Some(value),
            Opening::Absent | Opening::Broken(_) => None,
        }
    }

    /// The fault, if it is broken.
    pub(super) fn fault(&self) -> Option<&Fault> {
        match self {
            Opening::Broken(fault) => Some(fault),
            Opening::Absent | Opening::Read(_) => None,
        }
    }
}

/// Why a SQLite file does not open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Its bytes are not those of a database (SQLite's code 26).
    NotADatabase,
    /// A database whose pages do not hang together (code 11).
    Malformed,
    /// Mode or owner forbid reading it, or something that is no file lies there (code 14); the text says which.
    CannotOpen(String),
    /// The folder that should hold it is a file.
    NoFolder,
    /// The doctor could not read it; the text says why.
    Unread(String),
}

/// One applied migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Migration {
    /// Its number.
    pub(super) version: i64,
    /// False where it was begun and not finished.
    pub(super) success: bool,
    /// SHA-384 of its text.
    pub(super) checksum: Vec<u8>,
}

/// One session in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    /// The thread's id.
    pub(super) id: String,
    /// Where its log is, absolute.
    pub(super) rollout_path: PathBuf,
    /// True where it was archived, as a resume sees it.
    pub(super) is_archived: bool,
    /// True where a listing counts it as archived.
    pub(super) is_listed_archived: bool,
    /// `legacy` or `paginated`; `legacy` where the column is not there.
    pub(super) history_mode: String,
    /// The model provider.
    pub(super) model_provider: String,
    /// The folder.
    pub(super) cwd: String,
    /// What began it.
    pub(super) source: String,
    /// Its first prompt, as lists show it.
    pub(super) preview: String,
    /// Its title.
    pub(super) title: String,
    /// The name the person gave it.
    pub(super) name: Option<String>,
    /// Its last activity, in milliseconds since 1970.
    pub(super) updated_at_ms: i64,
    /// The client that began it.
    pub(super) cli_version: String,
    /// True for a thread that belongs to another one, which a listing passes over.
    pub(super) is_attached: bool,
    /// Why the client cannot read the row, in its words.
    pub(super) fault: Option<String>,
}

/// The state database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// Applied migrations, ascending; none where their table is not there.
    pub(super) migrations: Option<Vec<Migration>>,
    /// True where the table `threads` is there.
    pub(super) has_threads: bool,
    /// The first column that the newest known client asks for and that is not there.
    pub(super) missing_column: Option<&'static str>,
    /// True where the column that a listing picks rows by is not there.
    pub(super) cannot_list: bool,
    /// True where what the newest known migration makes is there.
    pub(super) is_ahead: bool,
    /// `pending`, `running` or `complete`; a look that was given up is pending again.
    pub(super) backfill: Option<String>,
    /// The session's own row.
    pub(super) row: Option<Row>,
    /// The newest rows, newest first.
    pub(super) newest: Vec<Row>,
    /// How many rows there are.
    pub(super) rows: u64,
}

/// Reads the state database. `id` picks the row to read.
pub(super) fn state(place: &Place, path: &Path, id: Option<&str>) -> Opening<State> {
    read(place, path, |connection| {
        read_state(connection, id, place.now().as_second())
    })
}

/// Reads all rows, newest first, as far as there are not too many.
pub(super) fn all_rows(place: &Place, path: &Path) -> Vec<Row> {
    const MOST: u32 = 100_000;
    let rows = read(place, path, |connection| {
        let columns = columns(connection, "threads")?;
        if columns.is_empty() {
            Ok(vec![])
        } else {
            newest(connection, &columns, MOST)
        }
    });
    rows.read().cloned().unwrap_or_default()
}

/// The applied migrations of a file.
pub(super) type Applied = Option<Vec<Migration>>;

/// Opens a file of which only that and its migrations matter.
pub(super) fn sound(place: &Place, path: &Path) -> Opening<Applied> {
    read(place, path, migrations)
}

/// Opens a SQLite file as the client would and looks into it.
pub(super) fn read<T>(
    place: &Place,
    path: &Path,
    look: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> Opening<T> {
    match place.link_stat(path) {
        Says::Read(Stat {
            kind: Kind::File,
            bytes: 0,
            ..
        })
        | Says::Absent => return Opening::Absent,
        Says::Read(Stat {
            kind: Kind::Symlink, ..
        }) if place.stat(path).is_absent() => {
            return Opening::Broken(Fault::CannotOpen("a symlink that leads nowhere".to_owned()));
        }
        Says::Read(_) | Says::Unreadable(_) => {}
    }
    let told = place.database(path).and_then(|database| {
        let answer = look(database.connection());
        database.says(answer)
    });
    match told {
        Says::Read(told) => Opening::Read(told),
        Says::Absent => Opening::Absent,
        Says::Unreadable(why) => Opening::Broken(fault(why)),
    }
}

fn fault(why: Why) -> Fault {
    match why {
        Why::Damaged(how) if how.contains("not a database") => Fault::NotADatabase,
        Why::Damaged(_) => Fault::Malformed,
        Why::Changed | Why::Busy | Why::TooMuch { .. } | Why::Failed(_) => Fault::Unread(why.to_string()),
        Why::NotDirectory => Fault::NoFolder,
        Why::NotPermitted | Why::IsDirectory | Why::NotRegular(_) | Why::Loop | Why::NameTooLong => {
            Fault::CannotOpen(why.to_string())
        }
    }
}

fn read_state(connection: &Connection, id: Option<&str>, now_s: i64) -> rusqlite::Result<State> {
    let mut state = State {
        migrations: migrations(connection)?,
        ..State::default()
    };
    let columns = columns(connection, "threads")?;
    state.has_threads = !columns.is_empty();
    if has_table(connection, "backfill_state")? {
        state.backfill = backfill(connection, now_s)?;
    }
    if !state.has_threads {
        return Ok(state);
    }
    state.missing_column = COLUMNS
        .iter()
        .copied()
        .find(|column| !columns.iter().any(|has| has == column));
    state.cannot_list = !columns.iter().any(|has| has == "archived");
    let made_last = "SELECT count(*) FROM sqlite_schema WHERE name = 'idx_threads_interactive_created_at_ms'";
    state.is_ahead = connection.query_row(made_last, [], |row| Ok(row.get::<_, i64>(0)? > 0))?;
    state.rows = connection.query_row("SELECT count(*) FROM threads", [], |row| unsigned(row, 0))?;
    let select = format!("SELECT {} FROM threads", selection(&columns));
    if let Some(id) = id {
        let row = connection.query_row(&format!("{select} WHERE id = ?1"), [id], row_of);
        state.row = row.optional()?;
    }
    state.newest = newest(connection, &columns, NEWEST)?;
    Ok(state)
}

/// The newest rows, newest first.
fn newest(connection: &Connection, columns: &[String], most: u32) -> rusqlite::Result<Vec<Row>> {
    let has_ms = columns.iter().any(|has| has == "updated_at_ms");
    let order = if has_ms { "updated_at_ms" } else { "updated_at" };
    let select = format!(
        "SELECT {} FROM threads ORDER BY {order} DESC, id DESC LIMIT ?1",
        selection(columns)
    );
    let mut statement = connection.prepare(&select)?;
    statement.query_map(params![most], row_of)?.collect()
}

/// How far the first look through the folders has come. One that has not moved for a quarter of an hour is begun again.
fn backfill(connection: &Connection, now_s: i64) -> rusqlite::Result<Option<String>> {
    const LEASE_S: i64 = 900;
    let sql = "SELECT status, coalesce(updated_at, 0) FROM backfill_state WHERE id = 1";
    let read = |row: &SqlRow<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?));
    Ok(connection
        .query_row(sql, [], read)
        .optional()?
        .map(|(status, updated_at_s)| {
            let is_dead = status == "running" && now_s - updated_at_s > LEASE_S;
            if is_dead { "pending".to_owned() } else { status }
        }))
}

/// A number that is never below nought.
pub(super) fn unsigned(row: &SqlRow<'_>, at: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(at)?).unwrap_or_default())
}

/// The applied migrations, ascending; none where their table is not there.
pub(super) fn migrations(connection: &Connection) -> rusqlite::Result<Option<Vec<Migration>>> {
    if !has_table(connection, "_sqlx_migrations")? {
        return Ok(None);
    }
    let mut statement =
        connection.prepare("SELECT version, success, checksum FROM _sqlx_migrations ORDER BY version")?;
    let rows = statement.query_map([], |row| {
        Ok(Migration {
            version: row.get(0)?,
            success: row.get(1)?,
            checksum: row.get(2)?,
        })
    })?;
    rows.collect::<Result<Vec<_>, _>>().map(Some)
}

/// True where the table is there.
pub(super) fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    connection.query_row(sql, [name], |row| Ok(row.get::<_, i64>(0)? > 0))
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
    statement.query_map([table], |row| row.get(0))?.collect()
}
