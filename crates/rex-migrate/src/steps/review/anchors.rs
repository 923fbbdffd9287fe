//! Generation 3: the places of a comment become rows of their own. A comment that has a row is left alone.

use serde_json::value::RawValue;

use super::{Doing as _, Guarded, Tally, exists, outcome, step, triggers};
use crate::step::{Outcome, StepError, Work};

const ID: &str = "review.anchors";

pub(super) const STEP: Guarded = Guarded {
    step: step(
        ID,
        (2, 3),
        "the places of comments become rows of their own",
        apply,
    ),
    is_needed: |seen| {
        let from = candidates(seen.shape.has_table("thread_target"));
        let sql = format!("SELECT 1 {from} AND {IS_PLACE} AND {HAS_DOCUMENT}");
        exists(seen.connection, ID, &sql)
    },
};

/// Comments with an old place and without a row.
pub(super) fn candidates(has_targets: bool) -> String {
    let without_row = if has_targets {
        "AND NOT EXISTS (SELECT 1 FROM thread_target WHERE thread_id = t.id)"
    } else {
        ""
    };
    format!("FROM thread t WHERE t.anchor_json IS NOT NULL {without_row}")
}

/// JSON that is something: the application takes null, false, 0 and the empty string for nothing.
pub(super) const IS_PLACE: &str = "(CASE WHEN typeof(t.anchor_json) = 'text' AND json_valid(t.anchor_json)
    THEN json_type(t.anchor_json) NOT IN ('null', 'false') AND json_extract(t.anchor_json, '$') NOT IN (0, '')
    ELSE 0 END)";

/// A place in a document that is not there would be a row that points nowhere.
pub(super) const HAS_DOCUMENT: &str = "EXISTS (SELECT 1 FROM document WHERE id = t.document_id)";

/// A list of more places. What is no list is kept where it is and reported.
pub(super) const HAS_LIST: &str =
    "(CASE WHEN typeof(t.extra_anchors_json) = 'text' AND json_valid(t.extra_anchors_json)
    THEN json_type(t.extra_anchors_json) = 'array' ELSE 0 END)";

fn apply(work: &Work<'_>) -> Result<Outcome, StepError> {
    let connection = work.connection;
    let from = candidates(true);
    let tally = |of: &str| {
        Tally::of(
            connection,
            ID,
            &format!("SELECT t.id {from} AND {of} ORDER BY t.rowid"),
        )
    };
    let tallies = vec![
        ("moved", tally(&format!("{IS_PLACE} AND {HAS_DOCUMENT}"))?),
        ("unreadable", tally(&format!("NOT {IS_PLACE}"))?),
        ("without_document", tally(&format!("{IS_PLACE} AND NOT {HAS_DOCUMENT}"))?),
        (
            "naming_nothing",
            tally(&format!(
                "{IS_PLACE} AND (json_type(t.anchor_json) <> 'object' OR json(t.anchor_json) = '{{}}')"
            ))?,
        ),
        (
            "extras_unreadable",
            tally(&format!(
                "t.extra_anchors_json IS NOT NULL AND NOT {HAS_LIST}
                 AND CASE WHEN json_valid(t.extra_anchors_json) THEN json_type(t.extra_anchors_json) <> 'null' ELSE 1 END"
            ))?,
        ),
    ];
    triggers::asleep(connection, ID, || move_all(work, &from))?;
    Ok(outcome("anchors", tallies))
}

const INSERT: &str = "INSERT INTO thread_target(thread_id, position, document_id, anchor_json, anchor_state)
    VALUES (?1, ?2, ?3, ?4, ?5)";

fn move_all(work: &Work<'_>, from: &str) -> Result<(), StepError> {
    let doing = "move the places";
    let connection = work.connection;
    // A list of its own: a query would see the rows that are added while it runs.
    let ids: Vec<i64> = connection
        .prepare(&format!(
            "SELECT t.rowid {from} AND {IS_PLACE} AND {HAS_DOCUMENT} ORDER BY t.rowid"
        ))
        .doing(ID, doing)?
        .query_map([], |row| row.get(0))
        .and_then(Iterator::collect)
        .doing(ID, doing)?;
    let mut read = connection
        .prepare(&format!(
            "SELECT id, document_id, anchor_json, iif({HAS_LIST}, extra_anchors_json, '[]'), anchor_state
             FROM thread t WHERE rowid = ?1"
        ))
        .doing(ID, doing)?;
    let mut insert = connection.prepare(INSERT).doing(ID, doing)?;
    for id in ids {
        let row = read.query_row([id], |row| row.try_into()).doing(ID, doing)?;
        let (thread, document, first, more, state): (String, String, String, String, Option<String>) = row;
        // The bytes as they are: writing values anew would change numbers that no program can hold, and keys that stand twice.
        let more: Vec<&RawValue> = serde_json::from_str(&more).unwrap_or_default();
        let places = std::iter::once(first.as_str()).chain(more.iter().map(|place| place.get()));
        for (position, place) in places.enumerate() {
            insert
                .execute((&thread, position as i64, &document, place, &state))
                .doing(ID, doing)?;
        }
    }
    Ok(())
}
