//! The bot that an operation is about, and whether it may do more.

use rusqlite::Connection;

use crate::daemon::refusal::Refusal;
use crate::daemon::statement::Statement;
use crate::error::StoreError;

const LOOK_UP: Statement = Statement::new(
    "host.look_up",
    "look a bot up",
    "SELECT head, running_turn, family, workspace, model, budget_tokens <= tokens_used
    FROM bots WHERE name = ?1 AND status <> 'deleting'",
);
const RUNNING: Statement = Statement::new(
    "host.running",
    "count the runs that go",
    "SELECT count(*) FROM (SELECT 1 FROM turns INDEXED BY turns_running WHERE status = 'running' LIMIT ?1)",
)
.scanning("the index has one row for each run that goes, and the limit is the number of slots");
const READY: Statement = Statement::new(
    "host.ready",
    "look for the head of an idle bot's line",
    "SELECT number FROM messages INDEXED BY messages_ready WHERE status = 'ready' AND bot = ?1",
)
.scanning("the index has at most one row for each bot that waits for a slot");

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[LOOK_UP, RUNNING, READY];

/// A bot that is there and is not being deleted.
#[derive(Debug)]
pub(super) struct Host<'a> {
    pub(super) name: &'a str,
    pub(super) head: Option<i64>,
    pub(super) running_turn: Option<i64>,
    pub(super) family: String,
    pub(super) workspace: Option<String>,
    pub(super) model: String,
    pub(super) is_exhausted: bool,
}

impl<'a> Host<'a> {
    pub(super) fn find(connection: &Connection, name: &'a str) -> Result<Self, StoreError> {
        let found = LOOK_UP.first(connection, [name], |row| {
            Ok(Self {
                name,
                head: row.get(0)?,
                running_turn: row.get(1)?,
                family: row.get(2)?,
                workspace: row.get(3)?,
                model: row.get(4)?,
                is_exhausted: row.get::<_, Option<bool>>(5)?.unwrap_or(false),
            })
        })?;
        found.ok_or(Refusal::BotNotFound.into())
    }

    /// The head of the bot's line, if it waits for a slot.
    pub(super) fn ready(&self, connection: &Connection) -> Result<Option<i64>, StoreError> {
        READY.first(connection, [self.name], |row| row.get(0))
    }
}

/// Whether one run more may go.
pub(super) fn has_free_slot(connection: &Connection, slots: u32) -> Result<bool, StoreError> {
    let running: Option<u32> = RUNNING.first(connection, [slots], |row| row.get(0))?;
    Ok(running.unwrap_or(0) < slots)
}
