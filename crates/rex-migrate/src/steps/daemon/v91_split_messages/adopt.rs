//! Gives tables and indexes the pages of others: what holds the same bytes before and after is not written again.
//!
//! The unique index of the old rows alone would cost as much as the rows: its order is not theirs. SQLite has no
//! statement for this, so the roots in `sqlite_schema` are exchanged; each definition stays as SQLite wrote it, and
//! the transaction covers it like any other write.

use rusqlite::Connection;

use super::{Doing as _, StepError};

/// Exchanges the pages of pairs of tables or indexes. Both of a pair must keep the same columns in the same order.
pub(super) fn exchange(connection: &Connection, pairs: &[(&str, &str)]) -> Result<(), StepError> {
    let doing = "exchange the pages of tables";
    connection
        .pragma_update(None, "writable_schema", true)
        .doing(doing)?;
    let exchanged = pairs
        .iter()
        .try_for_each(|(one, other)| exchange_pair(connection, one, other));
    // Switches it off again and reads the schema anew.
    connection
        .execute_batch("PRAGMA writable_schema = RESET")
        .doing(doing)?;
    exchanged.doing(doing)
}

fn exchange_pair(connection: &Connection, one: &str, other: &str) -> rusqlite::Result<()> {
    let root = |name: &str| -> rusqlite::Result<i64> {
        connection.query_row(
            "SELECT rootpage FROM sqlite_schema WHERE name = ?1",
            [name],
            |row| row.get(0),
        )
    };
    let roots = (root(one)?, root(other)?);
    let mut set = connection.prepare("UPDATE sqlite_schema SET rootpage = ?2 WHERE name = ?1")?;
    set.execute((one, roots.1))?;
    set.execute((other, roots.0))?;
    Ok(())
}

/// Fails unless an index has an entry for each of so many rows: one that was damaged before would stay damaged.
pub(super) fn check(connection: &Connection, table: &str, index: &str, rows: usize) -> Result<(), StepError> {
    // SQLite would answer `count(*)` from whichever index is smallest.
    let sql = format!("SELECT coalesce(sum(1), 0) FROM {table} INDEXED BY {index}");
    let entries: i64 = connection
        .query_row(&sql, [], |row| row.get(0))
        .doing("count the entries of an index")?;
    if entries == rows as i64 {
        Ok(())
    } else {
        Err(StepError::Index {
            index: index.to_owned(),
            entries,
            rows,
        })
    }
}
