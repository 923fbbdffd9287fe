//! Waiting on a message or a process: whether it is over, as far as the store knows.

use serde::Deserialize;

use super::{LiveReader, MessageStatus, RunStatus};
use crate::daemon::refusal::Refusal;
use crate::daemon::statement::Statement;
use crate::error::StoreError;
use crate::handle::Handle91;

const MESSAGE: Statement = Statement::new(
    "wait.message",
    "look a message and its run up",
    "SELECT m.status, m.turn, t.status FROM messages m LEFT JOIN turns t ON t.id = m.turn
    WHERE m.number = ?1 AND m.bot = ?2",
);
const PROCESS: Statement = Statement::new(
    "wait.process",
    "look a process up",
    "SELECT status <> 'running' FROM processes WHERE id = ?1",
);
const WAITING: Statement = Statement::new(
    "wait.waiting",
    "look up what a run waits for",
    "SELECT status, waiting FROM turns WHERE id = ?1",
);

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[MESSAGE, PROCESS, WAITING];

/// How far a message has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// Where the message is.
    pub status: MessageStatus,
    /// The run that took it in, where known.
    pub turn: Option<i64>,
    /// Where that run is.
    pub run: Option<RunStatus>,
}

impl Awaited {
    /// Whether nothing more will come of it: it left the line, or its run has ended. A message that was taken by no
    /// known run is over too.
    pub fn is_over(self) -> bool {
        match (self.status, self.run) {
            (MessageStatus::Queued | MessageStatus::Attached | MessageStatus::Ready, _) => false,
            (MessageStatus::Taken, Some(run)) => {
                !matches!(run, RunStatus::Running | RunStatus::Waiting | RunStatus::Paced)
            }
            (MessageStatus::Taken | MessageStatus::Withdrawn | MessageStatus::Failed, _) => true,
        }
    }
}

#[derive(Deserialize)]
struct Parked {
    handles: Vec<String>,
    #[serde(default)]
    deadline_ms: Option<i64>,
    #[serde(default)]
    any: bool,
}

impl LiveReader {
    /// Looks how far a message of a bot has come.
    ///
    /// # Errors
    /// [`StoreError::Refused`] with [`Refusal::MessageNotFound`], [`StoreError::Sqlite`].
    pub fn wait(&self, bot: &str, number: i64) -> Result<Awaited, StoreError> {
        let found = MESSAGE.first(self.connection(), (number, bot), |row| {
            Ok(Awaited {
                status: row.get(0)?,
                turn: row.get(1)?,
                run: row.get(2)?,
            })
        })?;
        found.ok_or(Refusal::MessageNotFound.into())
    }

    /// Whether a parked run has what it waits for: one of its handles is over, or all are, or its deadline has
    /// passed. A handle that names nothing (any more) is over, for nothing will come of it.
    ///
    /// # Errors
    /// [`StoreError::Refused`] with [`Refusal::TurnNotFound`], [`Refusal::TurnState`] if it is not parked on handles,
    /// or [`Refusal::WaitingUnreadable`]; [`StoreError::Sqlite`].
    pub fn is_due(&self, turn: i64, now_ms: i64) -> Result<bool, StoreError> {
        let found = WAITING.first(self.connection(), [turn], |row| {
            Ok((row.get::<_, RunStatus>(0)?, row.get::<_, Option<String>>(1)?))
        })?;
        let (status, waiting) = found.ok_or(Refusal::TurnNotFound)?;
        if status != RunStatus::Waiting {
            let found = status.as_str();
            return Err(Refusal::TurnState { found }.into());
        }
        let parked = waiting.and_then(|waiting| serde_json::from_str::<Parked>(&waiting).ok());
        let parked = parked.ok_or(Refusal::WaitingUnreadable)?;
        if parked
            .deadline_ms
            .is_some_and(|deadline_ms| deadline_ms <= now_ms)
        {
            return Ok(true);
        }
        for handle in &parked.handles {
            if self.is_over(handle)? == parked.any {
                return Ok(parked.any);
            }
        }
        Ok(!parked.any || parked.handles.is_empty())
    }

    fn is_over(&self, handle: &str) -> Result<bool, StoreError> {
        match Handle91::parse(handle) {
            None => Ok(true),
            Some(Handle91::Process(number)) => Ok(PROCESS
                .first(self.connection(), [number], |row| row.get(0))?
                .unwrap_or(true)),
            Some(Handle91::Message { bot, number }) => match self.wait(bot, number) {
                Err(StoreError::Refused { .. }) => Ok(true),
                awaited => Ok(awaited?.is_over()),
            },
        }
    }
}
