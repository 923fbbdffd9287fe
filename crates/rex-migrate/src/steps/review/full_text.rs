//! Every generation: a full-text index that has fallen behind is made anew. It is left alone when it has not, because no
//! step changes the words of a message.

use rusqlite::Connection;

use super::{Doing as _, Guarded, Seen, step};
use crate::look::Depth;
use crate::step::{Outcome, StepError, Work};

const ID: &str = "review.full_text";

pub(super) const STEP: Guarded = Guarded {
    step: step(
        ID,
        (1, 13),
        "the full-text index is made anew, because it has fallen behind",
        apply,
    ),
    is_needed: is_behind,
};

/// Triggers without which words are written that the index does not learn of.
const TRIGGERS: [&str; 3] = ["message_fts_ai", "message_fts_ad", "message_fts_au"];

/// Whether the index misses messages, knows some that are gone, or was written past.
pub(super) fn is_behind(seen: &Seen<'_>) -> Result<bool, StepError> {
    if !seen.shape.has_table("message_fts") || TRIGGERS.iter().any(|name| !seen.shape.has_other(name)) {
        return Ok(true);
    }
    Ok(seen.depth >= Depth::Steps && !has_equal_keys(seen.connection)?)
}

/// The messages' own keys, and the index's.
pub(super) const KEYS: (&str, &str) = ("SELECT rowid FROM message", "SELECT id FROM message_fts_docsize");

fn has_equal_keys(connection: &Connection) -> Result<bool, StepError> {
    let digest = |sql| rex_store::digest::query(connection, sql).map_err(StepError::Store);
    Ok(digest(KEYS.0)? == digest(KEYS.1)?)
}

fn apply(work: &Work<'_>) -> Result<Outcome, StepError> {
    work.progress.begin("full-text index", 0, "");
    work.connection
        .execute_batch("INSERT INTO message_fts(message_fts) VALUES ('rebuild')")
        .doing(ID, "make the full-text index anew")?;
    let mut report = serde_json::Map::new();
    report.insert("full_text".to_owned(), serde_json::json!({ "rebuilt": true }));
    Ok(Outcome { report })
}
