//! Reads one row of `threads`, also of stores of older releases and also where the client could not.

use std::path::PathBuf;

use rusqlite::Row as SqlRow;
use rusqlite::types::ValueRef;

use super::store::Row;

/// The columns of a [`Row`], each with what stands for it in stores of older releases.
pub(super) fn selection(columns: &[String]) -> String {
    let has = |name: &str| columns.iter().any(|column| column == name);
    let or = |name: &'static str, otherwise: &'static str| if has(name) { name } else { otherwise };
    let parts = [
        "id",
        or("rollout_path", "''"),
        or("archived_at", "NULL"),
        or("archived", "0"),
        or("history_mode", "'legacy'"),
        or("model_provider", "''"),
        or("cwd", "''"),
        or("source", "''"),
        if has("preview") {
            "preview"
        } else {
            or("first_user_message", "''")
        },
        or("title", "''"),
        or("name", "NULL"),
        if has("updated_at_ms") {
            "coalesce(updated_at_ms, updated_at * 1000)"
        } else {
            "updated_at * 1000"
        },
        or("cli_version", "''"),
        or("attached_thread_parent_id", "NULL"),
    ];
    parts.join(", ")
}

/// Reads a row of [`selection`].
pub(super) fn row_of(row: &SqlRow<'_>) -> rusqlite::Result<Row> {
    let text = |at: usize| Ok::<String, rusqlite::Error>(as_text(row.get_ref(at)?).unwrap_or_default());
    Ok(Row {
        id: text(0)?,
        rollout_path: PathBuf::from(text(1)?),
        is_archived: row.get::<_, Option<i64>>(2)?.is_some(),
        is_listed_archived: row.get::<_, Option<i64>>(3)?.unwrap_or_default() != 0,
        history_mode: text(4)?,
        model_provider: text(5)?,
        cwd: text(6)?,
        source: text(7)?,
        preview: text(8)?,
        title: text(9)?,
        name: as_text(row.get_ref(10)?),
        updated_at_ms: row.get::<_, Option<i64>>(11)?.unwrap_or_default(),
        cli_version: text(12)?,
        is_attached: row.get_ref(13)? != ValueRef::Null,
        fault: fault_of(row)?,
    })
}

/// A value that SQLite keeps as text, also where its bytes are not UTF-8 or it is marked as bytes.
fn as_text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(_) | ValueRef::Null => None,
    }
}

/// Why the client cannot read the row, in its words.
fn fault_of(row: &SqlRow<'_>) -> rusqlite::Result<Option<String>> {
    const TEXTS: [(usize, &str); 9] = [
        (0, "id"),
        (1, "rollout_path"),
        (7, "source"),
        (4, "history_mode"),
        (5, "model_provider"),
        (6, "cwd"),
        (12, "cli_version"),
        (9, "title"),
        (8, "preview"),
    ];
    for (at, column) in TEXTS {
        if let ValueRef::Blob(_) = row.get_ref(at)? {
            let rust = "Rust type `alloc::string::String` (as SQL type `TEXT`)";
            return Ok(Some(format!(
                "error occurred while decoding column \"{column}\": mismatched types; {rust} is not compatible with SQL type `BLOB`"
            )));
        }
    }
    let mode = as_text(row.get_ref(4)?).unwrap_or_default();
    let is_known = ["legacy", "paginated"].contains(&mode.as_str());
    Ok((!is_known).then(|| format!("unknown thread history mode `{mode}`")))
}
