//! Reads the projection of the logs, from which the screen shows a session's turns. Judges nothing.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use super::store::{self, Migration, Opening, has_table, migrations, unsigned};
use crate::place::Place;

/// The projection of the logs that the screen shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Projection {
    /// Applied migrations, ascending; none where their table is not there.
    pub(super) migrations: Option<Vec<Migration>>,
    /// The first table that is not there.
    pub(super) missing_table: Option<&'static str>,
    /// True where what the newest known migration makes is there.
    pub(super) is_ahead: bool,
    /// Up to which byte and record of the log it has come: the first of each that is not in it.
    pub(super) cursor: Option<(u64, u64)>,
    /// Prompts and replies in it: a side record of what the log held.
    pub(super) prompts: u64,
    /// Replies in it.
    pub(super) replies: u64,
}

/// Reads what the projection says about a session.
pub(super) fn read(place: &Place, path: &Path, id: Option<&str>) -> Opening<Projection> {
    store::read(place, path, |connection| read_projection(connection, id))
}

fn read_projection(connection: &Connection, id: Option<&str>) -> rusqlite::Result<Projection> {
    let mut projection = Projection {
        migrations: migrations(connection)?,
        ..Projection::default()
    };
    let made_last = "SELECT count(*) FROM sqlite_schema WHERE name = 'idx_thread_realtime_observed'";
    projection.is_ahead = connection.query_row(made_last, [], |row| Ok(row.get::<_, i64>(0)? > 0))?;
    for table in ["thread_turns", "thread_items"] {
        if !has_table(connection, table)? {
            projection.missing_table = Some(table);
            return Ok(projection);
        }
    }
    let Some(id) = id else { return Ok(projection) };
    let cursor = || {
        connection.query_row(
        "SELECT next_rollout_byte_offset, next_rollout_ordinal FROM thread_history_projection_state WHERE thread_id = ?1",
        [id],
        |row| Ok((unsigned(row, 0)?, unsigned(row, 1)?)),
    ).optional()
    };
    if has_table(connection, "thread_history_projection_state")? {
        projection.cursor = cursor()?;
    }
    let items = "SELECT count(*) FILTER (WHERE item_type = 'userMessage'), count(*) FILTER (WHERE item_type = 'agentMessage') FROM thread_items WHERE thread_id = ?1";
    let counted = connection.query_row(items, [id], |row| Ok((unsigned(row, 0)?, unsigned(row, 1)?)));
    if let Some((prompts, replies)) = counted.optional()? {
        projection.prompts = prompts;
        projection.replies = replies;
    }
    Ok(projection)
}
