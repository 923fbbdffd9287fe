//! Why a message of the daemon store got its run and its node, with the evidence row by row.

use std::path::PathBuf;

use rusqlite::Connection;
use serde::Serialize;

use crate::step::StepError;

/// Where the explanation may keep what it works out: it never writes to the store.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// A folder for temporary files; memory when `None`.
    pub folder: Option<PathBuf>,
}

/// What is known of one message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The message asked for.
    pub message: Name,
    /// Its status as 91 spells it.
    pub status: String,
    /// The run that took it in, where known.
    pub turn: Option<i64>,
    /// The node it became, where known.
    pub node: Option<i64>,
    /// `own`, `a`, `b`, `c`, `d` or `none`.
    pub turn_rule: &'static str,
    /// `own`, `event`, `prompt_node`, `words` or `none`.
    pub node_rule: &'static str,
    /// What was weighed, row by row.
    pub evidence: Vec<Evidence>,
    /// Why there is no run or no node, or why the store no longer says.
    pub why_not: Option<String>,
}

/// A message's name: `BOT/N`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Name {
    /// The bot.
    pub bot: String,
    /// The number.
    pub number: i64,
}

/// One cell that was weighed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The table.
    pub table: &'static str,
    /// The row's key.
    pub id: i64,
    /// The column.
    pub column: &'static str,
    /// Its value, as JSON.
    pub value: serde_json::Value,
    /// What that says.
    pub says: String,
}

/// Explains message `number` of `bot` in a store at 90 or 91; `None` when there is no such message. Reads only.
///
/// # Errors
/// [`StepError`] when SQLite cannot read the store.
pub fn message(
    _connection: &Connection,
    _bot: &str,
    _number: i64,
) -> Result<Option<Explanation>, StepError> {
    Ok(None)
}

/// Every member of a class of the receipt, ascending; `None` when there is no class of that name. Reads only.
///
/// # Errors
/// [`StepError`] when SQLite cannot read the store.
pub fn class(_connection: &Connection, _class: &str) -> Result<Option<Vec<i64>>, StepError> {
    Ok(None)
}
