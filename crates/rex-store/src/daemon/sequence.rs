//! The one sequence from which messages and turns get their numbers.

use rusqlite::Connection;

use super::statement::Statement;
use crate::error::StoreError;

const TABLE: &str = "message_sequence";

const NEXT: Statement = Statement::new(
    "sequence.next",
    "draw a number",
    "UPDATE message_sequence SET last_id = last_id + 1 WHERE singleton = 1 AND last_id < 9223372036854775807 RETURNING last_id",
);
const EXISTS: Statement = Statement::new(
    "sequence.exists",
    "look for the sequence",
    "SELECT 1 FROM message_sequence WHERE singleton = 1",
);

pub(super) const STATEMENTS: &[Statement] = &[NEXT, EXISTS];

/// Draws the next number at version 91. Writes the sequence's row; call it in the transaction that uses the number.
///
/// # Errors
/// [`StoreError::SequenceExhausted`] after 2^63-1, [`StoreError::SingletonMissing`], [`StoreError::Sqlite`].
pub fn next_number(connection: &Connection) -> Result<i64, StoreError> {
    if let Some(number) = NEXT.first(connection, [], |row| row.get(0))? {
        return Ok(number);
    }
    let exists = EXISTS.first(connection, [], |_| Ok(()))?.is_some();
    Err(if exists {
        StoreError::SequenceExhausted { table: TABLE }
    } else {
        StoreError::SingletonMissing { table: TABLE }
    })
}
