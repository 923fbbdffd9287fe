//! Generation 8: the ink of comments goes. It stays in the backup.

use rusqlite::Connection;

use super::{Doing as _, Guarded, Seen, Tally, outcome, step};
use crate::step::{Outcome, Refusal, StepError, Work};

const ID: &str = "review.ink";

pub(super) const STEP: Guarded = Guarded {
    step: step(
        ID,
        (7, 8),
        "the ink of comments is dropped; the backup keeps it",
        apply,
    ),
    is_needed: |seen| Ok(seen.shape.has("thread.stroke_json")),
};

/// What names the column would break when it goes: the index at once, a trigger at the next write, a view when it is read.
pub(super) fn refuse(seen: &Seen<'_>) -> Result<Vec<Refusal>, StepError> {
    let doing = "look for what names the ink";
    if !seen.shape.has("thread.stroke_json") {
        return Ok(Vec::new());
    }
    let mut statement = seen
        .connection
        .prepare(
            "SELECT type || ' ' || name FROM sqlite_schema
                WHERE type IN ('index', 'trigger', 'view') AND sql LIKE '%stroke\\_json%' ESCAPE '\\' ORDER BY name",
        )
        .doing(ID, doing)?;
    let found: Vec<String> = statement
        .query_map([], |row| row.get(0))
        .and_then(Iterator::collect)
        .doing(ID, doing)?;
    Ok(found
        .into_iter()
        .map(|name| Refusal {
            cause: format!("{name} names thread.stroke_json, which newer builds drop"),
            hint: format!("drop the {name} first; it can be made again afterwards without that column"),
        })
        .collect())
}

fn apply(work: &Work<'_>) -> Result<Outcome, StepError> {
    let connection = work.connection;
    let ink = Tally::of(
        connection,
        ID,
        "SELECT id FROM thread WHERE stroke_json IS NOT NULL ORDER BY rowid",
    )?;
    // SQLite resolves every view when a column goes: one that is broken already, whatever it is about, would stop it.
    let views = views(connection)?;
    for (name, _) in views.iter().filter(|(name, _)| !name.is_empty()) {
        let name = name.replace('"', "\"\"");
        connection
            .execute_batch(&format!("DROP VIEW \"{name}\""))
            .doing(ID, "set a view aside")?;
    }
    connection
        .execute_batch("ALTER TABLE thread DROP COLUMN stroke_json")
        .doing(ID, "drop the ink")?;
    for (_, sql) in &views {
        connection.execute_batch(sql).doing(ID, "put a view back")?;
    }
    Ok(outcome("ink", vec![("dropped", ink)]))
}

/// Every view by its name, and behind them, without a name, the triggers that go with a view.
fn views(connection: &Connection) -> Result<Vec<(String, String)>, StepError> {
    let doing = "list the views";
    connection
        .prepare(
            "SELECT iif(type = 'view', name, ''), sql FROM sqlite_schema WHERE type = 'view'
                OR type = 'trigger' AND tbl_name IN (SELECT name FROM sqlite_schema WHERE type = 'view')
                ORDER BY type = 'trigger', rowid",
        )
        .doing(ID, doing)?
        .query_map([], |row| row.try_into())
        .and_then(Iterator::collect)
        .doing(ID, doing)
}
