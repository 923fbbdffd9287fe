//! Rows of both schemas as the checks need them, read without the code under test.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::types::Value;
use rusqlite::{Connection, Row};

/// One row, its values in the order of its table's columns.
pub(crate) type Values = Vec<Value>;

/// Every row of a query, in its order.
pub(crate) fn all(connection: &Connection, sql: &str) -> Result<Vec<Values>, String> {
    let text = |error: rusqlite::Error| format!("{sql}: {error}");
    let mut statement = connection.prepare(sql).map_err(text)?;
    let columns = statement.column_count();
    let rows = statement
        .query_map([], |row| (0..columns).map(|at| value(row, at)).collect())
        .map_err(text)?;
    rows.collect::<rusqlite::Result<_>>().map_err(text)
}

/// TEXT that is no UTF-8 is kept as bytes.
fn value(row: &Row<'_>, at: usize) -> rusqlite::Result<Value> {
    let value = row.get_ref(at)?;
    Ok(match value.as_bytes() {
        Ok(bytes) if value.as_str().is_err() => Value::Blob(bytes.to_vec()),
        _ => Value::try_from(value)?,
    })
}

/// Rows by their first value, a number.
pub(crate) fn by_number(connection: &Connection, sql: &str) -> Result<BTreeMap<i64, Values>, String> {
    let rows = all(connection, sql)?.into_iter();
    rows.map(|row| {
        number(&row[0])
            .map(|number| (number, row))
            .ok_or_else(|| format!("{sql}: no number"))
    })
    .collect()
}

/// The numbers that a query gives.
pub(crate) fn numbers(connection: &Connection, sql: &str) -> Result<BTreeSet<i64>, String> {
    Ok(all(connection, sql)?
        .iter()
        .filter_map(|row| number(&row[0]))
        .collect())
}

/// The first number that a query gives.
pub(crate) fn first(connection: &Connection, sql: &str) -> Result<Option<i64>, String> {
    Ok(all(connection, sql)?.first().and_then(|row| number(&row[0])))
}

pub(crate) fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(number) => Some(*number),
        _ => None,
    }
}

pub(crate) fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// Fails with `what` unless `holds`.
pub(crate) fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}
