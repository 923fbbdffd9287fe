//! Generations 2 to 13: columns that older builds did not have are added, with nothing in them.

use rex_store::review::Shape;

use super::{Doing as _, Guarded, step};
use crate::step::{Outcome, StepError, Work};

const ID: &str = "review.columns";

pub(super) const STEP: Guarded = Guarded {
    step: step(ID, (1, 13), "columns that came later are added, empty", apply),
    is_needed: |seen| Ok(missing(&seen.shape).next().is_some()),
};

/// Table, column and definition. What a step fills is added here too: the column is empty until that step runs, and both
/// are one transaction.
const COLUMNS: [(&str, &str, &str); 14] = [
    ("thread", "extra_anchors_json", "TEXT"),
    ("thread", "title", "TEXT"),
    (
        "thread",
        "group_id",
        "TEXT REFERENCES comment_group(id) ON DELETE SET NULL",
    ),
    ("thread", "is_note", "INTEGER NOT NULL DEFAULT 0"),
    ("thread", "style", "TEXT"),
    ("thread_target", "message_id", "TEXT"),
    ("message", "mode", "TEXT"),
    ("message", "model", "TEXT"),
    ("message", "style", "TEXT"),
    ("message", "run_id", "TEXT"),
    ("agent_gateway", "enabled", "INTEGER NOT NULL DEFAULT 1"),
    ("gateway_route", "token_cipher", "BLOB"),
    ("fact_run", "total", "INTEGER NOT NULL DEFAULT 0"),
    ("fact_document", "chunks_done", "INTEGER NOT NULL DEFAULT 0"),
];

fn missing(shape: &Shape) -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
    COLUMNS
        .iter()
        .filter(|(table, column, _)| shape.has_table(table) && !shape.has_column(table, column))
}

fn apply(work: &Work<'_>) -> Result<Outcome, StepError> {
    let shape = Shape::read(work.connection).map_err(StepError::Store)?;
    for (table, column, definition) in missing(&shape) {
        work.connection
            .execute_batch(&format!("ALTER TABLE {table} ADD COLUMN {column} {definition}"))
            .doing(ID, "add a column")?;
    }
    Ok(Outcome::default())
}
