//! Lists of a bot's messages and turns, newest first, page by page: each page starts below a number.

use rusqlite::Row;

use super::{LiveReader, MessageStatus};
use crate::daemon::resend::resolved_words;
use crate::daemon::row::Text;
use crate::daemon::statement::Statement;
use crate::daemon::turn::Turn;
use crate::error::{Doing, StoreError};

const MESSAGES: Statement = Statement::new(
    "list.messages",
    "list messages",
    "SELECT m.number, m.turn, m.status, m.delivery, m.node, m.sent_ms, m.taken_ms, m.ended_ms, m.from_bot, m.from_turn,
        m.from_id, m.origin, coalesce(m.effort, m.inherited_effort), m.workspace, m.words, n.item
    FROM messages m INDEXED BY messages_bot
        LEFT JOIN nodes n ON n.id = m.words_node AND length(m.words) = 0
    WHERE m.bot = ?1 AND m.number < ?2 ORDER BY m.number DESC LIMIT ?3",
);
const TURNS: Statement = Statement::new(
    "list.turns",
    "list turns",
    "SELECT id, bot, status, waiting, model_rounds, view_sent, input_tokens, output_tokens, cached_input_tokens,
        retries, paced_ms, started_ms, finished_ms
    FROM turns INDEXED BY turns_bot_id WHERE bot = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3",
);

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[MESSAGES, TURNS];

/// How many characters of a message's words a list shows.
pub const PREVIEW_CHARS: usize = 120;

/// One message in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The N of `BOT/N`.
    pub number: i64,
    /// The run that took it in, where known.
    pub turn: Option<i64>,
    /// Where it is.
    pub status: MessageStatus,
    /// How it was to be delivered.
    pub delivery: Text,
    /// The item it became, where known.
    pub node: Option<i64>,
    /// When it was sent, taken in, or left the line without that, Unix milliseconds.
    pub sent_ms: Option<i64>,
    /// When it was taken in.
    pub taken_ms: Option<i64>,
    /// When it left the line without being taken in.
    pub ended_ms: Option<i64>,
    /// The sending bot's name.
    pub from_bot: Option<Text>,
    /// The sending run.
    pub from_turn: Option<i64>,
    /// The sending bot's identity.
    pub from_id: Option<i64>,
    /// Where it came from.
    pub origin: Option<Text>,
    /// The effort asked for or taken over.
    pub effort: Option<Text>,
    /// The folder.
    pub workspace: Option<Text>,
    /// The first [`PREVIEW_CHARS`] characters of its words; what is no UTF-8 is replaced.
    pub preview: String,
}

impl LiveReader {
    /// Lists at most `limit` messages of a bot with numbers below `below`, newest first.
    ///
    /// # Errors
    /// [`StoreError::Sqlite`].
    pub fn messages(&self, bot: &str, below: i64, limit: u32) -> Result<Vec<Listed>, StoreError> {
        MESSAGES.all(self.connection(), (bot, below, limit), Listed::read)
    }

    /// Lists at most `limit` runs of a bot with numbers below `below`, newest first.
    ///
    /// # Errors
    /// [`StoreError::Value`], [`StoreError::Sqlite`].
    pub fn turns(&self, bot: &str, below: i64, limit: u32) -> Result<Vec<Turn>, StoreError> {
        let mut statement = TURNS.prepare(self.connection())?;
        let mut rows = statement.query((bot, below, limit)).doing(TURNS.purpose)?;
        let mut turns = Vec::new();
        while let Some(row) = rows.next().doing(TURNS.purpose)? {
            turns.push(Turn::from_row(row)?);
        }
        Ok(turns)
    }
}

impl Listed {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let words = resolved_words(row, 14, 15)?;
        Ok(Self {
            number: row.get(0)?,
            turn: row.get(1)?,
            status: row.get(2)?,
            delivery: row.get(3)?,
            node: row.get(4)?,
            sent_ms: row.get(5)?,
            taken_ms: row.get(6)?,
            ended_ms: row.get(7)?,
            from_bot: row.get(8)?,
            from_turn: row.get(9)?,
            from_id: row.get(10)?,
            origin: row.get(11)?,
            effort: row.get(12)?,
            workspace: row.get(13)?,
            preview: preview(&words),
        })
    }
}

/// A character has at most four bytes, so the cut never reaches into the characters shown.
fn preview(words: &[u8]) -> String {
    let start = words.get(..PREVIEW_CHARS * 4 + 3).unwrap_or(words);
    String::from_utf8_lossy(start)
        .chars()
        .take(PREVIEW_CHARS)
        .collect()
}
