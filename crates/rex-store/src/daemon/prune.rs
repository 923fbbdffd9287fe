//! Retention: what old messages still own is taken from them, the messages and their words stay.

use rusqlite::{Connection, Statement};

use crate::error::{Doing, StoreError};

/// How many messages one call takes at most, so that a writer never waits long.
pub const PRUNE_BATCH: usize = 256;

/// What one call of [`prune`] took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Retention rows looked at.
    pub messages: usize,
    /// Retention rows removed; one stays while a process of its run is still going.
    pub released: usize,
    /// Events removed.
    pub events: usize,
    /// Whether there may be more: call again.
    pub more: bool,
}

/// Takes events, tool calls, artifacts and ended processes from the bot's messages below its `keep`-th newest finished
/// one and below all unfinished work, at version 91. One transaction of at most [`PRUNE_BATCH`] messages; the bot's
/// and the store's `pruned_cursor` rise to the newest event removed. Call it outside a transaction.
///
/// # Errors
/// [`StoreError::Sqlite`]; nothing is then written.
pub fn prune(connection: &Connection, bot: &str, keep: u32) -> Result<Pruned, StoreError> {
    let all_or_nothing = connection.unchecked_transaction().doing("prune a bot")?;
    let pruned = prune_batch(&all_or_nothing, bot, keep).doing("prune a bot")?;
    all_or_nothing.commit().doing("prune a bot")?;
    Ok(pruned)
}

/// A message that no longer moves: taken by another run or by none known, or by a run of its own that has ended.
const FINISHED: &str = "(m.status IN ('withdrawn', 'failed')
    OR (m.status = 'taken' AND (m.turn IS NULL OR m.turn <> m.number
        OR EXISTS (SELECT 1 FROM turns t WHERE t.id = m.turn AND t.status IN ('completed', 'failed', 'interrupted')))))";

fn prune_batch(connection: &Connection, bot: &str, keep: u32) -> rusqlite::Result<Pruned> {
    let below = below(connection, bot, keep)?;
    let batch: Vec<i64> = connection
        .prepare_cached(RECLAIMABLE)?
        .query_map((bot, below, PRUNE_BATCH as i64), |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut pruned = Pruned {
        messages: batch.len(),
        more: batch.len() == PRUNE_BATCH,
        ..Pruned::default()
    };
    let mut cursor = 0;
    for message in batch {
        for sql in OWNED {
            connection.prepare_cached(sql)?.execute([message])?;
        }
        for sql in EVENTS {
            let mut statement = connection.prepare_cached(sql)?;
            pruned.events += remove_events(&mut statement, message, &mut cursor)?;
        }
        pruned.released += connection.prepare_cached(RELEASE)?.execute([message])?;
    }
    connection.execute(
        "UPDATE bots SET pruned_cursor = max(pruned_cursor, ?2) WHERE name = ?1",
        (bot, cursor),
    )?;
    connection.execute(
        "UPDATE event_retention SET pruned_cursor = max(pruned_cursor, ?1)",
        [cursor],
    )?;
    Ok(pruned)
}

/// The first number that is kept.
fn below(connection: &Connection, bot: &str, keep: u32) -> rusqlite::Result<i64> {
    // The keep-th newest itself is kept; without one nothing is old enough. With keep 0 nothing finished is kept.
    let newest = "SELECT m.number FROM messages m WHERE m.bot = ?1 AND FINISHED ORDER BY m.number DESC LIMIT 1 OFFSET ?2";
    let unfinished = "SELECT min(number) FROM (
        SELECT number FROM messages WHERE bot = ?1 AND status IN ('queued', 'attached')
        UNION ALL SELECT number FROM messages WHERE status = 'ready' AND bot = ?1
        UNION ALL SELECT id FROM turns WHERE status = 'running' AND bot = ?1
        UNION ALL SELECT id FROM turns WHERE status = 'waiting' AND bot = ?1
        UNION ALL SELECT id FROM turns WHERE status = 'paced' AND bot = ?1)";
    let kept = match keep.checked_sub(1) {
        None => i64::MAX,
        Some(offset) => {
            let mut statement = connection.prepare_cached(&newest.replace("FINISHED", FINISHED))?;
            let mut rows = statement.query((bot, offset))?;
            rows.next()?.map_or(Ok(0), |row| row.get(0))?
        }
    };
    let unfinished: Option<i64> = connection
        .prepare_cached(unfinished)?
        .query_row([bot], |row| row.get(0))?;
    Ok(kept.min(unfinished.unwrap_or(i64::MAX)))
}

/// A row whose process is still going and that owns nothing else is passed by, or it would be looked at for ever.
const RECLAIMABLE: &str = "SELECT r.message FROM retained_messages r WHERE r.bot = ?1 AND r.message < ?2
    AND (NOT EXISTS (SELECT 1 FROM processes p WHERE p.turn = r.message AND p.status = 'running')
        OR EXISTS (SELECT 1 FROM processes p WHERE p.turn = r.message AND p.status <> 'running')
        OR EXISTS (SELECT 1 FROM artifacts a WHERE a.turn = r.message)
        OR EXISTS (SELECT 1 FROM tools o WHERE o.turn = r.message)
        OR EXISTS (SELECT 1 FROM events e WHERE e.turn = r.message)
        OR EXISTS (SELECT 1 FROM events e WHERE e.message = r.message AND e.turn IS NULL))
    ORDER BY r.message LIMIT ?3";

const OWNED: [&str; 3] = [
    "DELETE FROM artifacts WHERE turn = ?1",
    "DELETE FROM processes WHERE turn = ?1 AND status <> 'running'",
    "DELETE FROM tools WHERE turn = ?1",
];

/// An event belongs to the retention row of `coalesce(turn, message)`.
const EVENTS: [&str; 2] = [
    "DELETE FROM events WHERE turn = ?1 RETURNING id",
    "DELETE FROM events WHERE message = ?1 AND turn IS NULL RETURNING id",
];

const RELEASE: &str = "DELETE FROM retained_messages WHERE message = ?1
    AND NOT EXISTS (SELECT 1 FROM processes WHERE turn = ?1 AND status = 'running')";

fn remove_events(statement: &mut Statement<'_>, message: i64, cursor: &mut i64) -> rusqlite::Result<usize> {
    let mut removed = 0;
    let mut rows = statement.query([message])?;
    while let Some(row) = rows.next()? {
        *cursor = row.get::<_, i64>(0)?.max(*cursor);
        removed += 1;
    }
    Ok(removed)
}
