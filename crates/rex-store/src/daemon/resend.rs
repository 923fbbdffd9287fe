//! A request that comes again: it keeps its number, or it is a conflict; nothing is written.

use rusqlite::{Connection, OptionalExtension, Row};

use super::item;
use crate::error::{Doing, StoreError};

/// What a caller sends to a bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request<'a> {
    /// The bot's name.
    pub bot: &'a str,
    /// The caller's own id for the request.
    pub request_id: &'a str,
    /// The words, compared by bytes.
    pub words: &'a [u8],
    /// The folder; omitted, it counts as equal.
    pub workspace: Option<&'a str>,
    /// The model; omitted, it counts as equal.
    pub model: Option<&'a str>,
    /// The effort.
    pub effort: Option<&'a str>,
    /// `reject`, `queue`, `steer` or `attach`.
    pub delivery: &'a str,
    /// A strict steer's run.
    pub expected_turn: Option<i64>,
    /// Who sends it.
    pub sender: From<'a>,
}

/// Who sends a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct From<'a> {
    /// The sending bot's name.
    pub bot: Option<&'a str>,
    /// The sending run.
    pub turn: Option<i64>,
    /// The sending bot's identity.
    pub id: Option<i64>,
    /// Where it came from.
    pub origin: Option<&'a str>,
}

/// What a request that was submitted before got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resent {
    /// The number of its message.
    pub number: i64,
    /// The run, only if the message opened one.
    pub turn: Option<i64>,
}

/// Looks for a request that was submitted before, at version 91; `None` if it is new. Writes nothing.
///
/// # Errors
/// [`StoreError::IdempotencyConflict`] naming the first field that differs, [`StoreError::Sqlite`].
pub fn resend(connection: &Connection, request: &Request<'_>) -> Result<Option<Resent>, StoreError> {
    let sql = "SELECT number, turn, words, words_node, workspace, model, effort, delivery, expected_turn,
            from_bot, from_turn, from_id, origin
        FROM messages WHERE bot = ?1 AND request_id = ?2";
    let mut statement = connection.prepare_cached(sql).doing("look a request up")?;
    let mut rows = statement
        .query([request.bot, request.request_id])
        .doing("look a request up")?;
    let Some(row) = rows.next().doing("look a request up")? else {
        return Ok(None);
    };
    let number = row.get("number").doing("look a request up")?;
    if let Some(field) = first_difference(connection, row, request)? {
        return Err(StoreError::IdempotencyConflict { field, number });
    }
    let turn: Option<i64> = row.get("turn").doing("look a request up")?;
    Ok(Some(Resent {
        number,
        turn: turn.filter(|turn| *turn == number),
    }))
}

fn first_difference(
    connection: &Connection,
    row: &Row<'_>,
    request: &Request<'_>,
) -> Result<Option<&'static str>, StoreError> {
    if resolved_words(connection, row)? != request.words {
        return Ok(Some("words"));
    }
    let sender = request.sender;
    let equal = [
        (
            "workspace",
            request.workspace.is_none() || has_text(row, "workspace", request.workspace)?,
        ),
        (
            "model",
            request.model.is_none() || has_text(row, "model", request.model)?,
        ),
        ("effort", has_text(row, "effort", request.effort)?),
        ("delivery", has_text(row, "delivery", Some(request.delivery))?),
        (
            "expected_turn",
            has_number(row, "expected_turn", request.expected_turn)?,
        ),
        ("sender", has_text(row, "from_bot", sender.bot)?),
        ("sender", has_number(row, "from_turn", sender.turn)?),
        ("sender", has_number(row, "from_id", sender.id)?),
        ("sender", has_text(row, "origin", sender.origin)?),
    ];
    Ok(equal
        .into_iter()
        .find(|(_, is_equal)| !is_equal)
        .map(|(field, _)| field))
}

fn has_text(row: &Row<'_>, column: &str, text: Option<&str>) -> Result<bool, StoreError> {
    let value = row.get_ref(column).doing("compare a request")?;
    Ok(value.as_bytes_or_null().unwrap_or_default() == text.map(str::as_bytes))
}

fn has_number(row: &Row<'_>, column: &str, number: Option<i64>) -> Result<bool, StoreError> {
    Ok(row.get::<_, Option<i64>>(column).doing("compare a request")? == number)
}

/// Words that are not empty are the words, also when a node is named; a node of an unknown shape has none.
fn resolved_words(connection: &Connection, row: &Row<'_>) -> Result<Vec<u8>, StoreError> {
    let words = row
        .get_ref("words")
        .doing("compare a request")?
        .as_bytes()
        .unwrap_or_default();
    let node: Option<i64> = row.get("words_node").doing("compare a request")?;
    match node {
        Some(node) if words.is_empty() => words_of_node(connection, node),
        _ => Ok(words.to_vec()),
    }
}

fn words_of_node(connection: &Connection, node: i64) -> Result<Vec<u8>, StoreError> {
    let words = connection
        .query_row("SELECT item FROM nodes WHERE id = ?1", [node], |row| {
            Ok(row.get_ref(0)?.as_bytes().ok().and_then(item::words))
        })
        .optional()
        .doing("read the words of a node")?;
    Ok(words.flatten().unwrap_or_default().into_bytes())
}
