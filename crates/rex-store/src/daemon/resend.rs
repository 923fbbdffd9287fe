//! A request that comes again: it keeps its number, or it is a conflict; nothing is written.

use std::borrow::Cow;

use rusqlite::{Connection, Row};

use super::item;
use super::statement::Statement;
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
    /// JSON list of quotes; omitted, it counts as equal, and so does the same JSON in other bytes.
    pub quotes: Option<&'a str>,
    /// JSON list of pictures; compared like the quotes.
    pub pictures: Option<&'a str>,
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

const LOOK_UP: Statement = Statement::new(
    "resend.look_up",
    "look a request up",
    "SELECT m.number, m.turn, m.words, n.item, m.workspace, m.model, m.effort, m.delivery, m.expected_turn,
        m.from_bot, m.from_turn, m.from_id, m.origin, m.quotes, m.pictures
    FROM messages m LEFT JOIN nodes n ON n.id = m.words_node AND length(m.words) = 0
    WHERE m.bot = ?1 AND m.request_id = ?2",
);

pub(super) const STATEMENTS: &[Statement] = &[LOOK_UP];

/// Looks for a request that was submitted before, at version 91; `None` if it is new. Writes nothing.
///
/// # Errors
/// [`StoreError::IdempotencyConflict`] naming the first field that differs, [`StoreError::Sqlite`].
pub fn resend(connection: &Connection, request: &Request<'_>) -> Result<Option<Resent>, StoreError> {
    let mut statement = LOOK_UP.prepare(connection)?;
    let mut rows = statement
        .query([request.bot, request.request_id])
        .doing(LOOK_UP.purpose)?;
    let Some(row) = rows.next().doing(LOOK_UP.purpose)? else {
        return Ok(None);
    };
    let (number, turn): (i64, Option<i64>) = (|| Ok((row.get(0)?, row.get(1)?)))().doing(LOOK_UP.purpose)?;
    if let Some(field) = first_difference(row, request).doing("compare a request")? {
        return Err(StoreError::IdempotencyConflict { field, number });
    }
    Ok(Some(Resent {
        number,
        turn: turn.filter(|turn| *turn == number),
    }))
}

/// The columns in the order of [`LOOK_UP`], which is that of the comparison.
fn first_difference(row: &Row<'_>, request: &Request<'_>) -> rusqlite::Result<Option<&'static str>> {
    if resolved_words(row, 2, 3)? != request.words {
        return Ok(Some("words"));
    }
    let (sender, delivery) = (request.sender, Some(request.delivery));
    let equal = [
        (
            "workspace",
            request.workspace.is_none() || has_text(row, 4, request.workspace)?,
        ),
        (
            "model",
            request.model.is_none() || has_text(row, 5, request.model)?,
        ),
        ("effort", has_text(row, 6, request.effort)?),
        ("delivery", has_text(row, 7, delivery)?),
        ("expected_turn", has_number(row, 8, request.expected_turn)?),
        ("sender", has_text(row, 9, sender.bot)?),
        ("sender", has_number(row, 10, sender.turn)?),
        ("sender", has_number(row, 11, sender.id)?),
        ("sender", has_text(row, 12, sender.origin)?),
        ("quotes", has_json(row, 13, request.quotes)?),
        ("pictures", has_json(row, 14, request.pictures)?),
    ];
    let different = equal.into_iter().find(|(_, is_equal)| !is_equal);
    Ok(different.map(|(field, _)| field))
}

fn has_text(row: &Row<'_>, column: usize, text: Option<&str>) -> rusqlite::Result<bool> {
    let value = row.get_ref(column)?;
    Ok(value.as_bytes_or_null().unwrap_or_default() == text.map(str::as_bytes))
}

fn has_number(row: &Row<'_>, column: usize, number: Option<i64>) -> rusqlite::Result<bool> {
    Ok(row.get::<_, Option<i64>>(column)? == number)
}

fn has_json(row: &Row<'_>, column: usize, text: Option<&str>) -> rusqlite::Result<bool> {
    let Some(text) = text else { return Ok(true) };
    let value = row.get_ref(column)?;
    let Some(found) = value.as_bytes_or_null().unwrap_or_default() else {
        return Ok(false);
    };
    let parsed = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).ok();
    Ok(found == text.as_bytes() || parsed(found).is_some_and(|found| parsed(text.as_bytes()) == Some(found)))
}

/// The words of a message, from its column and from the item of `words_node`, which is read where the column is
/// empty: words that are not empty are the words, also when a node is named; a node of an unknown shape has none.
pub(super) fn resolved_words<'r>(
    row: &'r Row<'_>,
    words: usize,
    item: usize,
) -> rusqlite::Result<Cow<'r, [u8]>> {
    let words = row.get_ref(words)?.as_bytes().unwrap_or_default();
    let item = row.get_ref(item)?.as_bytes_or_null().unwrap_or_default();
    let held = item.filter(|_| words.is_empty()).and_then(item::words);
    Ok(held.map_or(Cow::Borrowed(words), |words| Cow::Owned(words.into_bytes())))
}
