//! A run parks on handles and gives its slot back; later it goes on.

use rusqlite::Connection;
use serde::Serialize;
use serde_json::value::RawValue;

use super::announce::{About, announce, json};
use super::take_in::Going;
use super::{LiveWriter, RunStatus};
use crate::daemon::refusal::Refusal;
use crate::daemon::statement::Statement;
use crate::error::StoreError;
use crate::handle::Handle91;

const STATUS: Statement = Statement::new(
    "park.status",
    "look a run up",
    "SELECT bot, status FROM turns WHERE id = ?1",
);
const TURN: Statement = Statement::new(
    "park.turn",
    "park a run or let it go on",
    "UPDATE turns SET status = ?2, waiting = ?3 WHERE id = ?1",
);
const BOT: Statement = Statement::new(
    "park.bot",
    "set a bot to waiting or running",
    "UPDATE bots SET status = ?2 WHERE name = ?1",
);

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[STATUS, TURN, BOT];

/// What a run waits for.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Waiting<'a> {
    /// The call that waits.
    pub call_id: &'a str,
    /// `BOT/N` or `proc:N`, each.
    pub handles: &'a [&'a str],
    /// When it goes on in any case, Unix milliseconds.
    pub deadline_ms: Option<i64>,
    /// Whether one of them is enough.
    pub any: bool,
    /// The other calls of the round, as a JSON list; kept byte by byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<&'a RawValue>,
}

impl LiveWriter {
    /// Parks a running run. Its slot is free from now on. Event `turn_waiting`.
    ///
    /// # Errors
    /// [`StoreError::Refused`] with [`Refusal::HandleUnknown`], [`Refusal::TurnNotFound`] or [`Refusal::TurnState`],
    /// [`StoreError::WriterDead`], [`StoreError::Sqlite`].
    pub fn park(&mut self, turn: i64, waiting: &Waiting<'_>) -> Result<(), StoreError> {
        if waiting
            .handles
            .iter()
            .any(|handle| Handle91::parse(handle).is_none())
        {
            return Err(Refusal::HandleUnknown.into());
        }
        self.transact(|connection| {
            let going = Going::find(connection, turn)?;
            let json = json(waiting);
            set(connection, &going.bot, turn, RunStatus::Waiting, Some(&json))?;
            let seen = Waiting {
                pending: None,
                ..*waiting
            };
            announce(connection, About::run(&going.bot, turn), "turn_waiting", &seen)
        })
    }

    /// Lets a parked run go on, whatever it waited for: the application decides, for instance by
    /// [`LiveReader::is_due`](super::LiveReader::is_due). It was admitted when it started, so no slot is asked for.
    /// Event `turn_resumed`.
    ///
    /// # Errors
    /// [`StoreError::Refused`] with [`Refusal::TurnNotFound`] or [`Refusal::TurnState`], [`StoreError::WriterDead`],
    /// [`StoreError::Sqlite`].
    pub fn resume(&mut self, turn: i64) -> Result<(), StoreError> {
        self.transact(|connection| {
            let found = STATUS.first(connection, [turn], |row| <(String, RunStatus)>::try_from(row))?;
            let (bot, status) = found.ok_or(Refusal::TurnNotFound)?;
            if !matches!(status, RunStatus::Waiting | RunStatus::Paced) {
                let found = status.as_str();
                return Err(Refusal::TurnState { found }.into());
            }
            set(connection, &bot, turn, RunStatus::Running, None)?;
            announce(connection, About::run(&bot, turn), "turn_resumed", &Resumed {})
        })
    }
}

fn set(
    connection: &Connection,
    bot: &str,
    turn: i64,
    status: RunStatus,
    waiting: Option<&str>,
) -> Result<(), StoreError> {
    TURN.execute(connection, (turn, status.as_str(), waiting))?;
    BOT.execute(connection, (bot, status.as_str()))?;
    Ok(())
}

#[derive(Serialize)]
struct Resumed {}
