//! The one sequence from which messages and turns get their numbers.

use rusqlite::{Connection, OptionalExtension};

use crate::error::{Doing, StoreError};

const TABLE: &str = "message_sequence";

/// Draws the next number at version 91. Writes the sequence's row; call it in the transaction that uses the number.
///
/// # Errors
/// [`StoreError::SequenceExhausted`] after 2^63-1, [`StoreError::SingletonMissing`], [`StoreError::Sqlite`].
pub fn next_number(connection: &Connection) -> Result<i64, StoreError> {
    let drawn = connection
        .query_row(
            "UPDATE message_sequence SET last_id = last_id + 1 WHERE last_id < 9223372036854775807 RETURNING last_id",
            [],
            |row| row.get(0),
        )
        .optional()
        .doing("draw a number")?;
    if let Some(number) = drawn {
        return Ok(number);
    }
    let exists: bool = connection
        .query_row("SELECT EXISTS (SELECT 1 FROM message_sequence)", [], |row| {
            row.get(0)
        })
        .doing("draw a number")?;
    Err(if exists {
        StoreError::SequenceExhausted { table: TABLE }
    } else {
        StoreError::SingletonMissing { table: TABLE }
    })
}
