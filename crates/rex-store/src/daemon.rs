//! The daemon store: its schemas before and after messages were split from turns, its rows, and what version 91 does.

pub mod item;
mod sequence;

pub use sequence::next_number;

use rusqlite::Connection;

use crate::error::{Doing, StoreError};

/// The schema at version 90, as SQL; it creates tables and indexes and writes no row.
pub const SCHEMA_90: &str = include_str!("daemon/90.sql");

/// What version 91 adds, as SQL: on top of version 90 without `turns`, `retained_turns` and `turn_sequence`, and
/// with a column `events.message`.
pub const SCHEMA_91: &str = include_str!("daemon/91.sql");

/// Creates the empty schema of version 90 in an empty database, and sets its version. Writes no row: a store gets
/// its singletons from [`found`].
///
/// # Errors
/// [`StoreError::Sqlite`] if anything is in the way; nothing is then written.
pub fn create_90(connection: &Connection) -> Result<(), StoreError> {
    create(connection, &format!("{SCHEMA_90}\nPRAGMA user_version = 90;"))
}

/// Creates the empty schema of version 91 in an empty database, and sets its version. Writes no row.
///
/// # Errors
/// [`StoreError::Sqlite`] if anything is in the way; nothing is then written.
pub fn create_91(connection: &Connection) -> Result<(), StoreError> {
    let without_turns = "
        DROP TABLE retained_turns;
        DROP TABLE turns;
        DROP TABLE turn_sequence;
        ALTER TABLE events ADD COLUMN message INTEGER;";
    create(
        connection,
        &format!("{SCHEMA_90}\n{without_turns}\n{SCHEMA_91}\nPRAGMA user_version = 91;"),
    )
}

/// Writes the rows that every store has exactly once, for a store that has none yet: its identity, a number that the
/// caller draws at random, and its sequences at 0. Works at both versions.
///
/// # Errors
/// [`StoreError::Sqlite`] if they are there already; nothing is then written.
pub fn found(connection: &Connection, identity: i64) -> Result<(), StoreError> {
    let at_91 = connection
        .table_exists(None, "message_sequence")
        .doing("found a store")?;
    let numbers = if at_91 {
        "message_sequence"
    } else {
        "turn_sequence"
    };
    let rows = format!(
        "INSERT INTO store VALUES (1, {identity});
        INSERT INTO event_retention VALUES (1, 0);
        INSERT INTO {numbers} VALUES (1, 0);
        INSERT INTO node_sequence VALUES (1, 0);
        INSERT INTO bot_sequence VALUES (1, 0);"
    );
    create(connection, &rows)
}

fn create(connection: &Connection, sql: &str) -> Result<(), StoreError> {
    let all_or_nothing = connection.unchecked_transaction().doing("create a store")?;
    all_or_nothing.execute_batch(sql).doing("create a store")?;
    all_or_nothing.commit().doing("create a store")
}
