//! Retention: what old messages still own is taken from them, the messages and their words stay.

use rusqlite::Connection;

use super::live::LiveWriter;
use super::statement::Statement;
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
    let pruned = prune_batch(&all_or_nothing, bot, keep)?;
    all_or_nothing.commit().doing("prune a bot")?;
    Ok(pruned)
}

impl LiveWriter {
    /// Prunes a bot as [`prune`] does, under the writer's rules.
    ///
    /// # Errors
    /// [`StoreError::WriterDead`], [`StoreError::Sqlite`].
    pub fn prune(&mut self, bot: &str, keep: u32) -> Result<Pruned, StoreError> {
        self.transact(|connection| prune_batch(connection, bot, keep))
    }
}

/// The keep-th newest message that no longer moves: one that left the line, was taken by another run or by none known,
/// or by a run of its own that has ended. It is read from the newest on, so past what is kept and what is unfinished.
const KEPT: Statement = Statement::new(
    "prune.kept",
    "look for the newest messages that are finished",
    "SELECT m.number FROM messages m INDEXED BY messages_bot
    WHERE m.bot = ?1 AND (m.status IN ('withdrawn', 'failed')
        OR (m.status = 'taken' AND (m.turn IS NULL OR m.turn <> m.number OR EXISTS (
            SELECT 1 FROM turns t WHERE t.id = m.turn AND t.status IN ('completed', 'failed', 'interrupted')))))
    ORDER BY m.number DESC LIMIT 1 OFFSET ?2",
);
const UNFINISHED: Statement = Statement::new(
    "prune.unfinished",
    "look for a bot's oldest unfinished work",
    "SELECT min(number) FROM (
        SELECT min(number) AS number FROM messages INDEXED BY messages_in_line
            WHERE bot = ?1 AND status IN ('queued', 'attached')
        UNION ALL SELECT number FROM messages INDEXED BY messages_ready WHERE status = 'ready' AND bot = ?1
        UNION ALL SELECT id FROM turns INDEXED BY turns_running WHERE status = 'running' AND bot = ?1
        UNION ALL SELECT id FROM turns INDEXED BY turns_waiting WHERE status = 'waiting' AND bot = ?1
        UNION ALL SELECT id FROM turns INDEXED BY turns_paced WHERE status = 'paced' AND bot = ?1)",
)
.scanning("the indexes hold what is unfinished in the whole store, at most one row for each bot");

/// A row whose process is still going and that owns nothing else is passed by, or it would be looked at for ever.
const RECLAIMABLE: Statement = Statement::new(
    "prune.reclaimable",
    "look for messages that own what can go",
    "SELECT r.message FROM retained_messages r WHERE r.bot = ?1 AND r.message < ?2
    AND (NOT EXISTS (SELECT 1 FROM processes p WHERE p.turn = r.message AND p.status = 'running')
        OR EXISTS (SELECT 1 FROM processes p WHERE p.turn = r.message AND p.status <> 'running')
        OR EXISTS (SELECT 1 FROM artifacts a WHERE a.turn = r.message)
        OR EXISTS (SELECT 1 FROM tools o WHERE o.turn = r.message)
        OR EXISTS (SELECT 1 FROM events e WHERE e.turn = r.message)
        OR EXISTS (SELECT 1 FROM events e WHERE e.message = r.message AND e.turn IS NULL))
    ORDER BY r.message LIMIT ?3",
);
const ARTIFACTS: Statement = Statement::new(
    "prune.artifacts",
    "remove a run's artifacts",
    "DELETE FROM artifacts WHERE turn = ?1",
);
const PROCESSES: Statement = Statement::new(
    "prune.processes",
    "remove a run's ended processes",
    "DELETE FROM processes WHERE turn = ?1 AND status <> 'running'",
);
const TOOLS: Statement = Statement::new(
    "prune.tools",
    "remove a run's tool calls",
    "DELETE FROM tools WHERE turn = ?1",
);
/// An event belongs to the retention row of `coalesce(turn, message)`.
const EVENTS_OF_RUN: Statement = Statement::new(
    "prune.events_of_run",
    "remove a run's events",
    "DELETE FROM events WHERE turn = ?1 RETURNING id",
);
const EVENTS_IN_LINE: Statement = Statement::new(
    "prune.events_in_line",
    "remove a message's events",
    "DELETE FROM events WHERE message = ?1 AND turn IS NULL RETURNING id",
);
const RELEASE: Statement = Statement::new(
    "prune.release",
    "remove a row of retention",
    "DELETE FROM retained_messages WHERE message = ?1
    AND NOT EXISTS (SELECT 1 FROM processes WHERE turn = ?1 AND status = 'running')",
);
const CURSOR_OF_BOT: Statement = Statement::new(
    "prune.cursor_of_bot",
    "move a bot's cursor of retention",
    "UPDATE bots SET pruned_cursor = max(pruned_cursor, ?2) WHERE name = ?1",
);
pub(super) const CURSOR_OF_STORE: Statement = Statement::new(
    "prune.cursor_of_store",
    "move the store's cursor of retention",
    "UPDATE event_retention SET pruned_cursor = max(pruned_cursor, ?1) WHERE singleton = 1",
);

pub(super) const STATEMENTS: &[Statement] = &[
    KEPT,
    UNFINISHED,
    RECLAIMABLE,
    ARTIFACTS,
    PROCESSES,
    TOOLS,
    EVENTS_OF_RUN,
    EVENTS_IN_LINE,
    RELEASE,
    CURSOR_OF_BOT,
    CURSOR_OF_STORE,
];

fn prune_batch(connection: &Connection, bot: &str, keep: u32) -> Result<Pruned, StoreError> {
    let below = below(connection, bot, keep)?;
    let values = (bot, below, PRUNE_BATCH as i64);
    let batch: Vec<i64> = RECLAIMABLE.all(connection, values, |row| row.get(0))?;
    let mut pruned = Pruned {
        messages: batch.len(),
        more: batch.len() == PRUNE_BATCH,
        ..Pruned::default()
    };
    let mut cursor = 0;
    for message in batch {
        for owned in [ARTIFACTS, PROCESSES, TOOLS] {
            owned.execute(connection, [message])?;
        }
        for events in [EVENTS_OF_RUN, EVENTS_IN_LINE] {
            let removed: Vec<i64> = events.all(connection, [message], |row| row.get(0))?;
            pruned.events += removed.len();
            cursor = removed.into_iter().fold(cursor, i64::max);
        }
        pruned.released += RELEASE.execute(connection, [message])?;
    }
    CURSOR_OF_BOT.execute(connection, (bot, cursor))?;
    CURSOR_OF_STORE.execute(connection, [cursor])?;
    Ok(pruned)
}

/// The keep-th newest itself is kept; without one nothing is old enough. With keep 0 nothing finished is kept.
fn below(connection: &Connection, bot: &str, keep: u32) -> Result<i64, StoreError> {
    let kept = match keep.checked_sub(1) {
        None => i64::MAX,
        Some(offset) => KEPT
            .first(connection, (bot, offset), |row| row.get(0))?
            .unwrap_or(0),
    };
    let unfinished: Option<Option<i64>> = UNFINISHED.first(connection, [bot], |row| row.get(0))?;
    Ok(kept.min(unfinished.flatten().unwrap_or(i64::MAX)))
}
