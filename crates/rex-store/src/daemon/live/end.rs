//! A run ends, well or not, and the oldest message of its bot's line becomes ready.

use rusqlite::Connection;
use serde::Serialize;

use super::announce::{About, announce};
use super::{LiveWriter, RunStatus, line};
use crate::daemon::refusal::Refusal;
use crate::daemon::statement::Statement;
use crate::error::StoreError;

const RUN: Statement = Statement::new(
    "end.run",
    "look a run up",
    "SELECT t.bot, t.status, b.head FROM turns t JOIN bots b ON b.name = t.bot WHERE t.id = ?1",
);
const TURN: Statement = Statement::new(
    "end.turn",
    "end a run",
    "UPDATE turns SET status = ?2, finished_ms = ?3, waiting = NULL WHERE id = ?1",
);
const BOT: Statement = Statement::new(
    "end.bot",
    "set a bot to idle",
    "UPDATE bots SET status = ?2, running_turn = NULL WHERE name = ?1",
);
const CHECKPOINT: Statement = Statement::new(
    "end.checkpoint",
    "write a checkpoint",
    "INSERT OR IGNORE INTO checkpoints(bot, head) VALUES (?1, ?2)",
);

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[RUN, TURN, BOT, CHECKPOINT];

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End<'a> {
    /// Well. Only a run that goes can.
    Completed,
    /// With an error; a parked run can fail as well.
    Failed {
        /// A stable word.
        error: &'a str,
        /// What a person may want to know.
        detail: Option<&'a str>,
    },
    /// Because somebody or something stopped it, parked or not.
    Interrupted,
}

impl End<'_> {
    fn status(self) -> RunStatus {
        match self {
            Self::Completed => RunStatus::Completed,
            Self::Failed { .. } => RunStatus::Failed,
            Self::Interrupted => RunStatus::Interrupted,
        }
    }

    fn is_open_to(self, status: RunStatus) -> bool {
        match status {
            RunStatus::Running => true,
            RunStatus::Waiting | RunStatus::Paced => self != Self::Completed,
            RunStatus::Completed | RunStatus::Failed | RunStatus::Interrupted => false,
        }
    }
}

impl LiveWriter {
    /// Ends a run and returns the message that is ready in its place, if the bot has one in line. The head becomes a
    /// checkpoint. Strict steers that the run did not take in fail. Event `turn_finished`.
    ///
    /// # Errors
    /// [`StoreError::Refused`] with [`Refusal::TurnNotFound`] or [`Refusal::TurnState`], [`StoreError::WriterDead`],
    /// [`StoreError::Sqlite`].
    pub fn finish(&mut self, turn: i64, end: End<'_>, now_ms: i64) -> Result<Option<i64>, StoreError> {
        self.transact(|connection| {
            let bot = end_run(connection, turn, end, now_ms)?;
            line::promote(connection, &bot, now_ms)
        })
    }
}

/// Ends a run and leaves the line alone; returns the bot's name.
pub(super) fn end_run(
    connection: &Connection,
    turn: i64,
    end: End<'_>,
    now_ms: i64,
) -> Result<String, StoreError> {
    let found = RUN.first(connection, [turn], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, RunStatus>(1)?, row.get(2)?))
    })?;
    let (bot, status, head): (_, _, Option<i64>) = found.ok_or(Refusal::TurnNotFound)?;
    if !end.is_open_to(status) {
        let found = status.as_str();
        return Err(Refusal::TurnState { found }.into());
    }
    let status = end.status().as_str();
    TURN.execute(connection, (turn, status, now_ms))?;
    BOT.execute(connection, (&bot, status))?;
    if let Some(head) = head {
        CHECKPOINT.execute(connection, (&bot, head))?;
    }
    announce(
        connection,
        About::run(&bot, turn),
        "turn_finished",
        &finished(end, head),
    )?;
    Ok(bot)
}

fn finished(end: End<'_>, checkpoint: Option<i64>) -> Finished<'_> {
    let (error, detail) = match end {
        End::Failed { error, detail } => (Some(error), detail),
        End::Completed | End::Interrupted => (None, None),
    };
    Finished {
        status: end.status().as_str(),
        checkpoint,
        error,
        detail,
    }
}

#[derive(Serialize)]
struct Finished<'a> {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
}
