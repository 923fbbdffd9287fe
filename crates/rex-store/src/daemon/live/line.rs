//! A bot's line: who is next, and who leaves it without having run.

use rusqlite::Connection;
use serde::Serialize;

use super::announce::{About, announce};
use crate::daemon::refusal::Refusal;
use crate::daemon::statement::Statement;
use crate::error::StoreError;

const OLDEST: Statement = Statement::new(
    "line.oldest",
    "look for the oldest message in line",
    "SELECT number, expected_turn IS NOT NULL FROM messages INDEXED BY messages_in_line
    WHERE bot = ?1 AND status IN ('queued', 'attached') AND status = 'queued' ORDER BY number LIMIT 1",
);
const READY: Statement = Statement::new(
    "line.ready",
    "make a message ready",
    "UPDATE messages SET status = 'ready' WHERE number = ?1",
);
const LEAVE: Statement = Statement::new(
    "line.leave",
    "end a message that never ran",
    "UPDATE messages SET status = ?2, ended_ms = ?3 WHERE number = ?1",
);

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[OLDEST, READY, LEAVE];

/// Makes the oldest message of an idle bot ready. A strict steer whose place has come fails: its run is over.
pub(super) fn promote(connection: &Connection, bot: &str, now_ms: i64) -> Result<Option<i64>, StoreError> {
    let oldest = || OLDEST.first(connection, [bot], |row| <(i64, bool)>::try_from(row));
    while let Some((number, is_strict)) = oldest()? {
        if !is_strict {
            READY.execute(connection, [number])?;
            return Ok(Some(number));
        }
        fail(connection, bot, number, Refusal::StaleTurn, now_ms)?;
    }
    Ok(None)
}

/// Ends a message in line that cannot run.
pub(super) fn fail(
    connection: &Connection,
    bot: &str,
    number: i64,
    refusal: Refusal,
    now_ms: i64,
) -> Result<(), StoreError> {
    let error = refusal.code();
    let data = Left {
        status: "failed",
        error: Some(&error),
    };
    leave(connection, bot, number, &data, now_ms)
}

/// Ends a message in line that nobody wants any more.
pub(super) fn cancel(connection: &Connection, bot: &str, number: i64, now_ms: i64) -> Result<(), StoreError> {
    let data = Left {
        status: "withdrawn",
        error: None,
    };
    leave(connection, bot, number, &data, now_ms)
}

fn leave(
    connection: &Connection,
    bot: &str,
    number: i64,
    data: &Left<'_>,
    now_ms: i64,
) -> Result<(), StoreError> {
    LEAVE.execute(connection, (number, data.status, now_ms))?;
    announce(connection, About::message(bot, number), "turn_finished", data)
}

#[derive(Serialize)]
struct Left<'a> {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}
