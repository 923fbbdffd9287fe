//! Events: what happened, for followers.

use rusqlite::Connection;
use serde::Serialize;

use crate::daemon::statement::Statement;
use crate::error::StoreError;

const INSERT: Statement = Statement::new(
    "announce.insert",
    "write an event",
    "INSERT INTO events(bot, turn, kind, data, message) VALUES (?1, ?2, ?3, ?4, ?5)",
);

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[INSERT];

/// Whom an event is about: a run, a message in line, a message that a run took in, or the bot alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'a> {
    bot: &'a str,
    turn: Option<i64>,
    message: Option<i64>,
}

impl<'a> About<'a> {
    pub(super) fn bot(bot: &'a str) -> Self {
        let (turn, message) = (None, None);
        Self { bot, turn, message }
    }

    pub(super) fn run(bot: &'a str, turn: i64) -> Self {
        Self {
            turn: Some(turn),
            ..Self::bot(bot)
        }
    }

    pub(super) fn message(bot: &'a str, message: i64) -> Self {
        Self {
            message: Some(message),
            ..Self::bot(bot)
        }
    }

    pub(super) fn taken(bot: &'a str, turn: i64, message: i64) -> Self {
        Self {
            turn: Some(turn),
            ..Self::message(bot, message)
        }
    }
}

/// Writes an event; the stream gives it the next cursor.
pub(super) fn announce(
    connection: &Connection,
    about: About<'_>,
    kind: &str,
    data: &impl Serialize,
) -> Result<(), StoreError> {
    INSERT.execute(
        connection,
        (about.bot, about.turn, kind, json(data), about.message),
    )?;
    Ok(())
}

pub(super) fn json(data: &impl Serialize) -> String {
    serde_json::to_string(data).expect("members with names always become JSON")
}
