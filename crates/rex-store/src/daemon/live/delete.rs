//! A bot is deleted piece by piece, with its own nodes but none that a fork still uses; its name is then free.

use rusqlite::Connection;

use super::end::{End, end_run};
use super::{LiveWriter, line};
use crate::daemon::prune;
use crate::daemon::refusal::Refusal;
use crate::daemon::statement::Statement;
use crate::error::StoreError;

const DELETED: Statement = Statement::new(
    "delete.deleted",
    "look a deletion up",
    "SELECT 1 FROM deleted_bots WHERE name = ?1 AND request_id = ?2",
);
const BOT: Statement = Statement::new(
    "delete.bot",
    "look a bot up",
    "SELECT id, status = 'deleting', running_turn, head FROM bots WHERE name = ?1",
);
const READY: Statement = Statement::new(
    "delete.ready",
    "look for the head of a bot's line",
    "SELECT number FROM messages INDEXED BY messages_ready WHERE status = 'ready' AND bot = ?1",
)
.scanning("the index has at most one row for each bot that waits for a slot");
const MARK: Statement = Statement::new(
    "delete.mark",
    "mark a bot as being deleted",
    "UPDATE bots SET status = 'deleting', running_turn = NULL, context_start = NULL WHERE name = ?1",
);
const EVENTS: Statement = Statement::new(
    "delete.events",
    "remove a bot's events",
    "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE bot = ?1 ORDER BY id LIMIT ?2) RETURNING id",
);
const RUN: Statement = Statement::new(
    "delete.run",
    "look for a bot's oldest run",
    "SELECT id FROM turns WHERE bot = ?1 ORDER BY id LIMIT 1",
);
const TOOLS: Statement = Statement::new(
    "delete.tools",
    "remove a run's tool calls",
    "DELETE FROM tools WHERE rowid IN (SELECT rowid FROM tools WHERE turn = ?1 LIMIT ?2)",
);
const PROCESSES: Statement = Statement::new(
    "delete.processes",
    "remove a run's processes",
    "DELETE FROM processes WHERE id IN (SELECT id FROM processes WHERE turn = ?1 LIMIT ?2)",
);
const ARTIFACTS: Statement = Statement::new(
    "delete.artifacts",
    "remove a run's artifacts",
    "DELETE FROM artifacts WHERE rowid IN (SELECT rowid FROM artifacts WHERE turn = ?1 LIMIT ?2)",
);
const APPROVALS: Statement = Statement::new(
    "delete.approvals",
    "remove a run's approvals",
    "DELETE FROM approvals WHERE id IN (SELECT id FROM approvals WHERE turn = ?1 LIMIT ?2)",
);
const TAKEN: Statement = Statement::new(
    "delete.taken",
    "remove the messages that a run took in",
    "DELETE FROM messages WHERE number IN (SELECT number FROM messages WHERE turn = ?1 AND number <> ?1 LIMIT ?2)",
);
const TURN: Statement = Statement::new("delete.turn", "remove a run", "DELETE FROM turns WHERE id = ?1");
const OPENING: Statement = Statement::new(
    "delete.opening",
    "remove the message that opened a run",
    "DELETE FROM messages WHERE number = ?1",
);
const MESSAGES: Statement = Statement::new(
    "delete.messages",
    "remove a bot's messages",
    "DELETE FROM messages WHERE number IN (SELECT number FROM messages WHERE bot = ?1 LIMIT ?2)",
);
const CHECKPOINTS: Statement = Statement::new(
    "delete.checkpoints",
    "remove a bot's checkpoints",
    "DELETE FROM checkpoints WHERE rowid IN (SELECT rowid FROM checkpoints WHERE bot = ?1 LIMIT ?2)",
);
/// Nothing but the bot itself may use the node.
const UNUSED: Statement = Statement::new(
    "delete.unused",
    "look whether a node is still used",
    "SELECT parent FROM nodes WHERE id = ?1
    AND NOT EXISTS (SELECT 1 FROM nodes WHERE parent = ?1)
    AND NOT EXISTS (SELECT 1 FROM bots WHERE head = ?1 AND name <> ?2)
    AND NOT EXISTS (SELECT 1 FROM bots WHERE context_start = ?1)
    AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE head = ?1)
    AND NOT EXISTS (SELECT 1 FROM messages WHERE node = ?1)
    AND NOT EXISTS (SELECT 1 FROM messages WHERE words_node = ?1)",
);
const HEAD: Statement = Statement::new(
    "delete.head",
    "move the head of a bot",
    "UPDATE bots SET head = ?2 WHERE name = ?1",
);
const SENDER: Statement = Statement::new(
    "delete.sender",
    "remove who sent a node",
    "DELETE FROM senders WHERE node = ?1",
);
const NODE: Statement = Statement::new("delete.node", "remove a node", "DELETE FROM nodes WHERE id = ?1");
const GONE: Statement = Statement::new("delete.gone", "remove a bot", "DELETE FROM bots WHERE name = ?1");
const RECORD: Statement = Statement::new(
    "delete.record",
    "write a deletion",
    "INSERT INTO deleted_bots(id, name, request_id) VALUES (?1, ?2, ?3)",
);

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[
    DELETED,
    BOT,
    READY,
    MARK,
    EVENTS,
    RUN,
    TOOLS,
    PROCESSES,
    ARTIFACTS,
    APPROVALS,
    TAKEN,
    TURN,
    OPENING,
    MESSAGES,
    CHECKPOINTS,
    UNUSED,
    HEAD,
    SENDER,
    NODE,
    GONE,
    RECORD,
];

/// About how many rows one call removes at most.
pub const DELETE_BATCH: usize = 256;

/// How far a deletion has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// There is more to remove: call again.
    Going,
    /// The bot is gone and its name is free.
    Done,
}

impl LiveWriter {
    /// Deletes a bot, one bounded piece a call, the first of which stops its run and withdraws what is ready. From
    /// then on nobody finds the bot. A deletion that comes again under its request id does nothing, also when the
    /// name has been taken again.
    ///
    /// # Errors
    /// [`StoreError::Refused`] with [`Refusal::BotNotFound`], [`StoreError::WriterDead`], [`StoreError::Sqlite`].
    pub fn delete_bot(
        &mut self,
        bot: &str,
        request_id: Option<&str>,
        now_ms: i64,
    ) -> Result<Deletion, StoreError> {
        self.transact(|connection| {
            if DELETED
                .first(connection, (bot, request_id), |_| Ok(()))?
                .is_some()
            {
                return Ok(Deletion::Done);
            }
            let found = BOT.first(connection, [bot], |row| {
                <(i64, bool, Option<i64>, Option<i64>)>::try_from(row)
            })?;
            let (id, is_marked, running, head) = found.ok_or(Refusal::BotNotFound)?;
            if !is_marked {
                mark(connection, bot, running, now_ms)?;
                return Ok(Deletion::Going);
            }
            if remove_piece(connection, bot, head)? {
                return Ok(Deletion::Going);
            }
            GONE.execute(connection, [bot])?;
            RECORD.execute(connection, (id, bot, request_id))?;
            Ok(Deletion::Done)
        })
    }
}

fn mark(connection: &Connection, bot: &str, running: Option<i64>, now_ms: i64) -> Result<(), StoreError> {
    if let Some(turn) = running {
        end_run(connection, turn, End::Interrupted, now_ms)?;
    }
    if let Some(ready) = READY.first(connection, [bot], |row| row.get(0))? {
        line::cancel(connection, bot, ready, now_ms)?;
    }
    MARK.execute(connection, [bot])?;
    Ok(())
}

/// Removes the next piece; `false` if nothing is left. What refers to a row goes before it.
fn remove_piece(connection: &Connection, bot: &str, head: Option<i64>) -> Result<bool, StoreError> {
    let limit = DELETE_BATCH as i64;
    let events: Vec<i64> = EVENTS.all(connection, (bot, limit), |row| row.get(0))?;
    if let Some(newest) = events.iter().max() {
        prune::CURSOR_OF_STORE.execute(connection, [newest])?;
        return Ok(true);
    }
    if remove_runs(connection, bot)? {
        return Ok(true);
    }
    for rows in [MESSAGES, CHECKPOINTS] {
        if rows.execute(connection, (bot, limit))? > 0 {
            return Ok(true);
        }
    }
    remove_nodes(connection, bot, head)
}

fn remove_runs(connection: &Connection, bot: &str) -> Result<bool, StoreError> {
    let mut removed = 0;
    while removed < DELETE_BATCH {
        let Some(turn) = RUN.first(connection, [bot], |row| row.get::<_, i64>(0))? else {
            break;
        };
        let before = removed;
        for rows in [TOOLS, PROCESSES, ARTIFACTS, APPROVALS, TAKEN] {
            removed += rows.execute(connection, (turn, DELETE_BATCH as i64))?;
        }
        if removed == before {
            removed += TURN.execute(connection, [turn])? + OPENING.execute(connection, [turn])?;
        }
    }
    Ok(removed > 0)
}

/// From the head up to the first node that something else uses.
fn remove_nodes(connection: &Connection, bot: &str, mut head: Option<i64>) -> Result<bool, StoreError> {
    for removed in 0..DELETE_BATCH {
        let Some(node) = head else { return Ok(removed > 0) };
        let Some(parent) = UNUSED.first(connection, (node, bot), |row| row.get::<_, Option<i64>>(0))? else {
            HEAD.execute(connection, (bot, None::<i64>))?;
            return Ok(true);
        };
        HEAD.execute(connection, (bot, parent))?;
        SENDER.execute(connection, [node])?;
        NODE.execute(connection, [node])?;
        head = parent;
    }
    Ok(true)
}
