//! Which generation has opened a store last, which one created it, and what an opening that was cut off left undone.

use std::ops::RangeInclusive;

use rusqlite::Connection;

use super::shape::Shape;
use crate::error::{Doing, StoreError};

/// The newest generation that is known.
pub const NEWEST: u8 = 13;

/// What a store's columns say about the builds that opened it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation {
    /// The newest generation of which there is a sign.
    pub last_opened_by: u8,
    /// The generations by which it can have been created: a column's place never changes afterwards.
    pub created_by: RangeInclusive<u8>,
    /// Tables, columns and indexes that a store of that generation has and this one lacks: an opening was cut off.
    pub lacking: Vec<String>,
    /// Tables and columns that no generation has: a later build, or somebody else.
    pub unknown: Vec<String>,
    /// Tables that a rebuild left behind, by its name for them.
    pub leftovers: Vec<String>,
}

impl Generation {
    /// Whether an opening was cut off half-way.
    pub fn is_between(&self) -> bool {
        !self.lacking.is_empty()
    }
}

/// Every table with the generation that it arrived in and its columns. A column that is younger than its table has the
/// generation behind an `@`.
const TABLES: &[(&str, u8, &str)] = &[
    ("document", 1, "id kind value title content_hash last_seen_at"),
    (
        "thread",
        1,
        "id document_id kind status anchor_json extra_anchors_json@2 anchor_state note title@7 group_id@7 is_note@7 \
         position@7 session_id profile model style@10 created_at updated_at resolved_at",
    ),
    (
        "message",
        1,
        "id thread_id seq role kind mode@8 model@9 style@10 sdk@11 gateway_name@11 base_url@11 run_id@13 content \
         tool_name tool_input_json is_error denied@10 cost_usd duration_ms input_tokens output_tokens created_at",
    ),
    ("thread_ref", 1, "thread_id ref_thread_id"),
    (
        "apply_run",
        1,
        "id thread_id status diff files_json created_at completed_at",
    ),
    ("message_fts", 1, ""),
    (
        "thread_target",
        3,
        "thread_id position document_id anchor_json anchor_state message_id@9",
    ),
    ("workspace_rule", 6, "root path mode created_at"),
    (
        "comment_group",
        7,
        "id root parent_id name position collapsed created_at",
    ),
    ("setting", 9, "key value"),
    ("agent_gateway", 11, "id name kind enabled@12 created_at"),
    (
        "gateway_route",
        11,
        "gateway_id sdk base_url auth credential_env token_cipher@12 models",
    ),
    (
        "thread_session",
        11,
        "thread_id sdk gateway_id base_url session_id created_at",
    ),
    (
        "gateway_provider",
        12,
        "id provider label base_url key_cipher listed_at created_at",
    ),
    (
        "gateway_model",
        12,
        "provider_id model alias max_input max_output tools",
    ),
];

const OTHERS: &[(&str, u8)] = &[
    ("idx_thread_doc", 1),
    ("idx_message_seq", 1),
    ("message_fts_ai", 1),
    ("message_fts_ad", 1),
    ("message_fts_au", 1),
    ("idx_target_document", 3),
    ("idx_group_root", 7),
    ("idx_thread_group", 7),
];

/// Ink, which came with generation 4 and went with 8.
const INK: &str = "thread.stroke_json";

/// Signs of a generation, newest first. Some tables are younger than their sign here: whatever a build makes only in a
/// step that comes late is no sign of it.
const SIGNS: &[(u8, &[&str])] = &[
    (13, &["message.run_id"]),
    (12, &["agent_gateway.enabled", "gateway_provider"]),
    (11, &["thread_session", "message.sdk"]),
    (10, &["message.denied", "thread.style"]),
    (9, &["thread_target.message_id", "message.model", "setting"]),
    (8, &["message.mode"]),
    (7, &["comment_group", "thread.position"]),
    (6, &["workspace_rule"]),
    (5, &["fact_run"]),
    (4, &[INK]),
    (3, &["thread_target"]),
    (2, &["thread.extra_anchors_json"]),
];

/// Begins of names of tables that generation 5 made, and of those that a full-text or vector table keeps its own data in.
const KNOWN_PREFIXES: [&str; 3] = ["sqlite_", "message_fts_", "fact_"];

/// What a rebuild calls the table that it fills.
const LEFTOVERS: [&str; 3] = ["thread_rebuilt", "agent_gateway_new", "gateway_route_new"];

/// Whether an open database is a review store: the three tables that every generation has, by their own columns.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn is_review(connection: &Connection) -> Result<bool, StoreError> {
    let shape = Shape::read(connection)?;
    Ok(is_review_shape(&shape))
}

fn is_review_shape(shape: &Shape) -> bool {
    let has = |name: &str| shape.has(name);
    [
        "document.value",
        "document.content_hash",
        "thread.document_id",
        "thread.note",
        "message.thread_id",
        "message.seq",
        "message.role",
    ]
    .iter()
    .all(|name| has(name))
}

/// Says what a store's columns tell of its past; `None` when it is no review store.
///
/// # Errors
/// [`StoreError::Sqlite`].
pub fn generation(connection: &Connection) -> Result<Option<Generation>, StoreError> {
    let shape = Shape::read(connection)?;
    if !is_review_shape(&shape) {
        return Ok(None);
    }
    let has_sign = |(_, signs): &&(u8, &[&str])| signs.iter().any(|sign| shape.has(sign));
    let last_opened_by = SIGNS
        .iter()
        .find(has_sign)
        .map_or(1, |(generation, _)| *generation);
    let document_sql: String = connection
        .query_row(
            "SELECT coalesce(sql, '') FROM sqlite_schema WHERE name = 'document'",
            [],
            |row| row.get(0),
        )
        .doing("read the shape of the store")?;
    Ok(Some(Generation {
        last_opened_by,
        created_by: created_by(&shape, last_opened_by, document_sql.contains("'url'")),
        lacking: lacking(&shape, last_opened_by),
        unknown: unknown(&shape),
        leftovers: names(&LEFTOVERS, |name| shape.has_table(name)),
    }))
}

/// A column stands before the last one of the first generation if the table was created with it, and behind it if it
/// was added later.
fn created_by(shape: &Shape, last_opened_by: u8, takes_urls: bool) -> RangeInclusive<u8> {
    let (mut earliest, mut latest) = if takes_urls {
        (1, 5.min(last_opened_by))
    } else {
        (6.min(last_opened_by), last_opened_by)
    };
    for (table, last) in [("thread", "resolved_at"), ("message", "created_at")] {
        let place = |name: &str| shape.columns(table).iter().position(|column| column == name);
        for (column, since) in columns_of(table).filter(|(_, since)| *since > 1) {
            match (place(column), place(last)) {
                (Some(at), Some(end)) if at < end => earliest = earliest.max(since),
                (Some(_), Some(_)) => latest = latest.min(since - 1),
                _ => {}
            }
        }
    }
    let ink = |name: &str| shape.columns("thread").iter().position(|column| column == name);
    match (ink("stroke_json"), ink("resolved_at")) {
        (Some(at), Some(end)) if at < end => earliest = earliest.max(4),
        (Some(_), Some(_)) => latest = latest.min(3),
        _ => {}
    }
    earliest..=latest.max(earliest)
}

/// The columns of a table that every store of the newest generation has, each with the generation it arrived in.
fn columns_of(table: &str) -> impl Iterator<Item = (&'static str, u8)> {
    let found = TABLES.iter().find(|(name, ..)| *name == table);
    let (since, list) = found.map_or((1, ""), |(_, since, list)| (*since, *list));
    list.split_ascii_whitespace()
        .map(move |entry| match entry.split_once('@') {
            Some((column, since)) => (column, since.parse().unwrap_or(NEWEST)),
            None => (entry, since),
        })
}

fn lacking(shape: &Shape, generation: u8) -> Vec<String> {
    let mut lacking = Vec::new();
    for (table, since, _) in TABLES.iter().filter(|(_, since, _)| *since <= generation) {
        if !shape.has_table(table) {
            lacking.push((*table).to_owned());
            continue;
        }
        let columns = columns_of(table).filter(|(_, arrived)| *arrived <= generation && *arrived >= *since);
        lacking.extend(
            columns
                .filter(|(column, _)| !shape.has_column(table, column))
                .map(|(column, _)| format!("{table}.{column}")),
        );
    }
    let others = OTHERS.iter().filter(|(_, since)| *since <= generation);
    lacking.extend(
        others
            .filter(|(name, _)| !shape.has_other(name))
            .map(|(name, _)| (*name).to_owned()),
    );
    if (4..8).contains(&generation) && !shape.has(INK) {
        lacking.push(INK.to_owned());
    }
    lacking
}

fn unknown(shape: &Shape) -> Vec<String> {
    let is_known = |table: &str| {
        KNOWN_PREFIXES.iter().any(|prefix| table.starts_with(prefix)) || LEFTOVERS.contains(&table)
    };
    let mut unknown = Vec::new();
    for table in shape.tables().filter(|table| !is_known(table)) {
        if !TABLES.iter().any(|(name, ..)| *name == table) {
            unknown.push(table.to_owned());
            continue;
        }
        let columns = shape.columns(table).iter();
        let strange = columns.filter(|column| {
            !columns_of(table).any(|(name, _)| name == column.as_str())
                && format!("{table}.{column}") != INK
                && table != "message_fts"
        });
        unknown.extend(strange.map(|column| format!("{table}.{column}")));
    }
    unknown
}

fn names(list: &[&str], is_there: impl Fn(&str) -> bool) -> Vec<String> {
    list.iter()
        .filter(|name| is_there(name))
        .map(|name| (*name).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::{create_7, create_13};

    fn generation_of(sql: &str, create: fn(&Connection) -> Result<(), StoreError>) -> Generation {
        let store = Connection::open_in_memory().unwrap();
        create(&store).unwrap();
        store.execute_batch(sql).unwrap();
        generation(&store).unwrap().unwrap()
    }

    #[test]
    fn a_fresh_store_lacks_nothing_and_was_created_by_its_generation() {
        for (create, number) in [
            (create_7 as fn(&Connection) -> Result<(), StoreError>, 7),
            (create_13, 13),
        ] {
            let found = generation_of("", create);
            assert_eq!(
                (found.last_opened_by, found.created_by.clone()),
                (number, number..=number)
            );
            assert_eq!(
                (found.lacking, found.unknown, found.leftovers),
                (vec![], vec![], vec![])
            );
        }
    }

    #[test]
    fn an_opening_that_was_cut_off_is_between_two_generations() {
        let cut = "ALTER TABLE thread DROP COLUMN stroke_json; ALTER TABLE message ADD COLUMN mode TEXT;
            CREATE TABLE setting(key TEXT PRIMARY KEY, value TEXT NOT NULL);";
        let found = generation_of(cut, create_7);
        assert_eq!((found.last_opened_by, found.created_by.clone()), (9, 7..=7));
        assert_eq!(found.lacking, ["message.model", "thread_target.message_id"]);
        assert!(found.is_between());
        let found = generation_of("ALTER TABLE thread DROP COLUMN stroke_json", create_7);
        assert_eq!((found.last_opened_by, found.lacking), (7, vec![INK.to_owned()]));
    }

    #[test]
    fn what_no_generation_has_is_unknown() {
        let found = generation_of(
            "CREATE TABLE later(a); ALTER TABLE thread ADD COLUMN mood TEXT; CREATE TABLE thread_rebuilt(a)",
            create_13,
        );
        assert_eq!(found.unknown, ["later", "thread.mood"]);
        assert_eq!(found.leftovers, ["thread_rebuilt"]);
        let other = Connection::open_in_memory().unwrap();
        other
            .execute_batch("CREATE TABLE document(id); CREATE TABLE thread(id); CREATE TABLE message(id)")
            .unwrap();
        assert_eq!(generation(&other).unwrap(), None);
    }
}
