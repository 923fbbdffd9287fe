//! What was weighed for one message, kept while the rules run over all of them.

use rusqlite::types::ValueRef;
use serde_json::Value;

use crate::explain::Evidence;

/// Keeps what concerns one message; of all others nothing.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    /// The message.
    pub(crate) watched: Option<i64>,
    /// Row by row, in the order in which it was weighed.
    pub(crate) evidence: Vec<Evidence>,
    /// Why it got no run.
    pub(crate) no_turn: Option<String>,
    /// Why it got no node.
    pub(crate) no_node: Option<String>,
}

impl Trail {
    /// Notes a cell that speaks about a message.
    pub(crate) fn note(
        &mut self,
        number: i64,
        cell: (&'static str, i64, &'static str),
        value: impl FnOnce() -> Value,
        says: impl FnOnce() -> String,
    ) {
        if self.watched == Some(number) {
            let (table, id, column) = cell;
            let (table, column) = (table.to_owned(), column.to_owned());
            self.evidence.push(Evidence {
                table,
                id,
                column,
                value: value(),
                says: says(),
            });
        }
    }

    /// Notes why a message has no run.
    pub(super) fn no_turn(&mut self, number: i64, why: impl FnOnce() -> String) {
        if self.watched == Some(number) {
            self.no_turn = Some(why());
        }
    }

    /// Notes why a message has no node.
    pub(super) fn no_node(&mut self, number: i64, why: impl FnOnce() -> String) {
        if self.watched == Some(number) {
            self.no_node = Some(why());
        }
    }
}

/// A cell as JSON; bytes that are no text are described.
pub(crate) fn value(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into(),
        ValueRef::Blob(bytes) => format!("{} bytes", bytes.len()).into(),
    }
}
