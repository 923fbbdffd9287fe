//! The texts of parked runs and of quotes that change, worked out before anything is copied.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use super::attribute::{class, report};
use super::{Doing as _, StepError, handles, quotes};

const TABLE: &str = "CREATE TEMP TABLE split_text(number INTEGER PRIMARY KEY, waiting TEXT, quotes TEXT)";

/// Keeps every text that changes in the temporary table `split_text`; gives the highest number that a row refers to,
/// 0 if there is none. The highest of all numbers is no number that the sequence could have given.
pub(crate) fn keep(connection: &Connection) -> Result<i64, StepError> {
    let doing = "respell handles and quotes";
    forget(connection)?;
    connection.execute_batch(TABLE).doing(doing)?;
    let mut statement = connection
        .prepare(
            "SELECT id, waiting, quotes, expected_turn, from_turn FROM turns WHERE waiting IS NOT NULL
             OR quotes IS NOT NULL OR expected_turn IS NOT NULL OR from_turn IS NOT NULL ORDER BY id",
        )
        .doing(doing)?;
    let mut rows = statement.query([]).doing(doing)?;
    let mut highest = 0;
    while let Some(row) = rows.next().doing(doing)? {
        for column in [3, 4] {
            let number = row.get_ref(column).doing(doing)?.as_i64().unwrap_or(0);
            highest = highest.max(if number == i64::MAX { 0 } else { number });
        }
        row_texts(connection, row)?;
    }
    Ok(highest)
}

fn row_texts(connection: &Connection, row: &Row<'_>) -> Result<(), StepError> {
    let doing = "respell handles and quotes";
    let number: i64 = row.get(0).doing(doing)?;
    let (mut waiting, mut quotes) = (None, None);
    let cell = row.get_ref(1).doing(doing)?;
    if cell != ValueRef::Null {
        match text(cell).and_then(handles::respell) {
            None => report(connection, class::UNREADABLE, number)?,
            Some(respelled) => {
                waiting = respelled.text;
                if respelled.has_dead_handle {
                    report(connection, class::DEAD, number)?;
                }
            }
        }
    }
    let cell = row.get_ref(2).doing(doing)?;
    if cell != ValueRef::Null {
        let renamed = text(cell).map(quotes::rename).unwrap_or_default();
        quotes = renamed.text;
        if !renamed.is_readable {
            report(connection, class::UNREADABLE, number)?;
        }
    }
    if waiting.is_none() && quotes.is_none() {
        return Ok(());
    }
    connection
        .prepare_cached("INSERT INTO temp.split_text VALUES (?1, ?2, ?3)")
        .and_then(|mut statement| statement.execute((number, waiting, quotes)))
        .doing(doing)
        .map(|_| ())
}

fn text(cell: ValueRef<'_>) -> Option<&str> {
    cell.as_str().ok()
}

/// Drops the temporary table, if it is there.
pub(crate) fn forget(connection: &Connection) -> Result<(), StepError> {
    connection
        .execute_batch("DROP TABLE IF EXISTS temp.split_text")
        .doing("drop temporary tables")
}
