//! The words of one message, byte by byte.

use super::LiveReader;
use crate::daemon::refusal::Refusal;
use crate::daemon::resend::resolved_words;
use crate::daemon::statement::Statement;
use crate::error::StoreError;

const WORDS: Statement = Statement::new(
    "quote.words",
    "read the words of a message",
    "SELECT m.words, n.item, m.words_node FROM messages m
        LEFT JOIN nodes n ON n.id = m.words_node AND length(m.words) = 0
    WHERE m.number = ?1 AND m.bot = ?2",
);

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[WORDS];

impl LiveReader {
    /// Reads the words of a message exactly, from its row or from the node that holds them.
    ///
    /// # Errors
    /// [`StoreError::Refused`] with [`Refusal::MessageNotFound`], or [`Refusal::WordsUnreadable`] where its node does
    /// not say them; [`StoreError::Sqlite`].
    pub fn quote(&self, bot: &str, number: i64) -> Result<Vec<u8>, StoreError> {
        let found = WORDS.first(self.connection(), (number, bot), |row| {
            let item: Option<&[u8]> = row.get_ref(1)?.as_bytes_or_null().unwrap_or_default();
            let is_readable = item.is_none_or(|item| crate::daemon::item::words(item).is_some());
            Ok(is_readable.then_some(resolved_words(row, 0, 1)?.into_owned()))
        })?;
        let words = found.ok_or(Refusal::MessageNotFound)?;
        words.ok_or(Refusal::WordsUnreadable.into())
    }
}
