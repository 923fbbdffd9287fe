//! Generation 10: tool results that were not allowed are told from those that failed.

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::{Doing as _, Guarded, Tally, outcome, step, triggers};
use crate::step::{Outcome, StepError, Work};

const ID: &str = "review.denied";

pub(super) const STEP: Guarded = Guarded {
    step: step(
        ID,
        (9, 10),
        "tool results that were not allowed are marked",
        apply,
    ),
    is_needed: |seen| Ok(!seen.shape.has("message.denied")),
};

fn apply(work: &Work<'_>) -> Result<Outcome, StepError> {
    let doing = "mark what was denied";
    let connection = work.connection;
    connection
        .execute_batch(
            "ALTER TABLE message ADD COLUMN denied INTEGER NOT NULL DEFAULT 0;
             CREATE TEMP TABLE review_denied(message INTEGER PRIMARY KEY);
             INSERT INTO temp.review_denied SELECT rowid FROM message
                WHERE kind = 'tool_result' AND is_error = 1 AND content LIKE 'Permission to use % has been denied.';",
        )
        .doing(ID, doing)?;
    for thread in threads_with_notes(connection)? {
        mark(connection, &thread)?;
    }
    let marked = Tally::of(
        connection,
        ID,
        "SELECT id FROM message WHERE rowid IN (SELECT message FROM temp.review_denied) ORDER BY rowid",
    )?;
    triggers::asleep(connection, ID, || {
        connection
            .execute_batch(
                "UPDATE message SET denied = 1 WHERE rowid IN (SELECT message FROM temp.review_denied)",
            )
            .doing(ID, doing)
    })?;
    connection
        .execute_batch("DROP TABLE temp.review_denied")
        .doing(ID, doing)?;
    Ok(outcome("denied", vec![("marked", marked)]))
}

fn threads_with_notes(connection: &Connection) -> Result<Vec<String>, StepError> {
    let doing = "find the notes about denials";
    connection
        .prepare("SELECT DISTINCT thread_id FROM message WHERE role = 'system' AND content LIKE 'Denied %'")
        .doing(ID, doing)?
        .query_map([], |row| row.get(0))
        .and_then(Iterator::collect)
        .doing(ID, doing)
}

/// Marks the results of one comment whose words stand in one of its notes. The notes are gathered once: looking through
/// all of them for each result would take the square of their number.
fn mark(connection: &Connection, thread: &str) -> Result<(), StepError> {
    let doing = "mark what was denied";
    let notes: Vec<Vec<u8>> = connection
        .prepare_cached(
            "SELECT DISTINCT CAST(content AS BLOB) FROM message
                WHERE thread_id = ?1 AND role = 'system' AND content LIKE 'Denied %'",
        )
        .doing(ID, doing)?
        .query_map([thread], |row| row.get(0))
        .and_then(Iterator::collect)
        .doing(ID, doing)?;
    let notes = Notes::new(&notes);
    let mut results = connection
        .prepare_cached(
            "SELECT rowid, CAST(content AS BLOB) FROM message
                WHERE thread_id = ?1 AND kind = 'tool_result' AND is_error = 1 AND content <> ''",
        )
        .doing(ID, doing)?;
    let mut insert = connection
        .prepare_cached("INSERT OR IGNORE INTO temp.review_denied VALUES (?1)")
        .doing(ID, doing)?;
    let mut rows = results.query([thread]).doing(ID, doing)?;
    while let Some(row) = rows.next().doing(ID, doing)? {
        let (message, words): (i64, Vec<u8>) = row.try_into().doing(ID, doing)?;
        if notes.hold(&words) {
            insert.execute([message]).doing(ID, doing)?;
        }
    }
    Ok(())
}

/// Texts that are searched many times: every place in them, in the order of what follows.
struct Notes<'a> {
    suffixes: Vec<&'a [u8]>,
}

impl<'a> Notes<'a> {
    fn new(texts: &'a [Vec<u8>]) -> Self {
        let distinct: BTreeSet<&[u8]> = texts.iter().map(Vec::as_slice).collect();
        let mut suffixes: Vec<&[u8]> = distinct
            .into_iter()
            .flat_map(|text| (0..text.len()).filter_map(move |at| text.get(at..)))
            .collect();
        suffixes.sort_unstable();
        Self { suffixes }
    }

    fn hold(&self, words: &[u8]) -> bool {
        let at = self.suffixes.partition_point(|suffix| *suffix < words);
        self.suffixes
            .get(at)
            .is_some_and(|suffix| suffix.starts_with(words))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Notes;

    proptest! {
        #[test]
        fn notes_hold_what_a_plain_search_finds(texts in proptest::collection::vec("[ab]{0,6}", 0..6), words in "[ab]{1,4}") {
            let bytes: Vec<Vec<u8>> = texts.iter().map(|text| text.clone().into_bytes()).collect();
            let found = texts.iter().any(|text| text.contains(&words));
            prop_assert_eq!(Notes::new(&bytes).hold(words.as_bytes()), found);
        }
    }
}
