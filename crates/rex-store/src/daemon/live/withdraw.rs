//! A message leaves the line before a run has taken it.

use super::{LiveWriter, MessageStatus, line};
use crate::daemon::refusal::Refusal;
use crate::daemon::statement::Statement;
use crate::error::StoreError;

const STATUS: Statement = Statement::new(
    "withdraw.status",
    "look a message up",
    "SELECT status FROM messages WHERE number = ?1 AND bot = ?2",
);

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[STATUS];

impl LiveWriter {
    /// Withdraws a message that is queued, attached or ready. If it was the ready one, the next of the line becomes
    /// ready and is returned. Event `turn_finished` with status `withdrawn`.
    ///
    /// # Errors
    /// [`StoreError::Refused`] with [`Refusal::MessageNotFound`] or [`Refusal::MessageNotInLine`],
    /// [`StoreError::WriterDead`], [`StoreError::Sqlite`].
    pub fn withdraw(&mut self, bot: &str, number: i64, now_ms: i64) -> Result<Option<i64>, StoreError> {
        self.transact(|connection| {
            let status = STATUS.first(connection, (number, bot), |row| row.get(0))?;
            let is_ready = match status.ok_or(Refusal::MessageNotFound)? {
                MessageStatus::Ready => true,
                MessageStatus::Queued | MessageStatus::Attached => false,
                MessageStatus::Taken | MessageStatus::Withdrawn | MessageStatus::Failed => {
                    return Err(Refusal::MessageNotInLine.into());
                }
            };
            line::cancel(connection, bot, number, now_ms)?;
            if is_ready {
                return line::promote(connection, bot, now_ms);
            }
            Ok(None)
        })
    }
}
