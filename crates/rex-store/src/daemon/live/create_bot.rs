//! A new bot.

use rusqlite::Connection;

use super::LiveWriter;
use super::announce::{About, announce};
use crate::daemon::refusal::Refusal;
use crate::daemon::statement::Statement;
use crate::error::StoreError;

const NEXT: Statement = Statement::new(
    "create_bot.next",
    "draw a bot's identity",
    "UPDATE bot_sequence SET last_id = last_id + 1 WHERE singleton = 1 AND last_id < 9223372036854775807 RETURNING last_id",
);
const EXISTS: Statement = Statement::new(
    "create_bot.exists",
    "look a bot's name up",
    "SELECT 1 FROM bots WHERE name = ?1",
);
const INSERT: Statement = Statement::new(
    "create_bot.insert",
    "write a bot",
    "INSERT INTO bots(name, id, status, workspace, provider, family, model, instructions, reasoning, tools,
        budget_tokens, created_by, created_by_id)
    VALUES (?1, ?2, 'idle', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
);

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[NEXT, EXISTS, INSERT];

/// What a bot is created with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewBot<'a> {
    /// Its name, not empty; free again after a deletion.
    pub name: &'a str,
    /// Its folder, for messages that name none.
    pub workspace: Option<&'a str>,
    /// The provider.
    pub provider: &'a str,
    /// The provider's family: `responses` writes items with `input_text`, every other with `text`.
    pub family: &'a str,
    /// The model, for messages that name none.
    pub model: &'a str,
    /// The instructions.
    pub instructions: &'a str,
    /// The effort.
    pub reasoning: Option<&'a str>,
    /// JSON list.
    pub tools: &'a str,
    /// Tokens it may use; without one, as many as it likes.
    pub budget_tokens: Option<i64>,
    /// The bot that creates it: name and identity.
    pub created_by: Option<(&'a str, i64)>,
}

impl LiveWriter {
    /// Creates an idle bot and returns its identity, which no other bot ever has. Event `created`.
    ///
    /// # Errors
    /// [`StoreError::Refused`] with [`Refusal::BotExists`] or [`Refusal::BotNameEmpty`],
    /// [`StoreError::SequenceExhausted`], [`StoreError::WriterDead`], [`StoreError::Sqlite`].
    pub fn create_bot(&mut self, bot: &NewBot<'_>) -> Result<i64, StoreError> {
        self.transact(|connection| {
            let id = next_identity(connection, bot.name)?;
            let (creator, creator_id) = bot.created_by.unzip();
            let values = rusqlite::params![
                bot.name,
                id,
                bot.workspace,
                bot.provider,
                bot.family,
                bot.model,
                bot.instructions,
                bot.reasoning,
                bot.tools,
                bot.budget_tokens,
                creator,
                creator_id,
            ];
            INSERT.execute(connection, values)?;
            announce(connection, About::bot(bot.name), "created", &Empty {})?;
            Ok(id)
        })
    }
}

#[derive(serde::Serialize)]
struct Empty {}

/// Draws the identity of a bot whose name is free.
pub(super) fn next_identity(connection: &Connection, name: &str) -> Result<i64, StoreError> {
    if name.is_empty() {
        return Err(Refusal::BotNameEmpty.into());
    }
    if EXISTS.first(connection, [name], |_| Ok(()))?.is_some() {
        return Err(Refusal::BotExists.into());
    }
    let table = "bot_sequence";
    NEXT.first(connection, [], |row| row.get(0))?
        .ok_or(StoreError::SequenceExhausted { table })
}
