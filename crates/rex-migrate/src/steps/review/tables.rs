//! Every generation: the tables, indexes and triggers that are missing are made, as the application does at each opening.

use rex_store::review::{SCHEMA_13, Shape};
use rusqlite::Connection;

use super::{Doing as _, Guarded, step};
use crate::step::{Outcome, StepError, Work};

const ID: &str = "review.tables";

pub(super) const STEP: Guarded = Guarded {
    step: step(
        ID,
        (1, 13),
        "tables, indexes and triggers that are missing are made",
        apply,
    ),
    is_needed: |seen| Ok(!missing(&seen.shape)?.is_empty()),
};

/// The objects of a fresh store that a store lacks; the index over columns that a later step adds is that step's.
fn missing(shape: &Shape) -> Result<Vec<String>, StepError> {
    let doing = "make a fresh store to compare with";
    let fresh = Connection::open_in_memory().doing(ID, doing)?;
    fresh.execute_batch(SCHEMA_13).doing(ID, doing)?;
    let fresh = Shape::read(&fresh).map_err(StepError::Store)?;
    let tables = fresh.tables().filter(|table| !shape.has_table(table));
    let others = fresh
        .others()
        .map(|(name, _)| name)
        .filter(|name| !shape.has_other(name));
    Ok(tables.chain(others).map(str::to_owned).collect())
}

fn apply(work: &Work<'_>) -> Result<Outcome, StepError> {
    work.connection
        .execute_batch(SCHEMA_13)
        .doing(ID, "make the tables that are missing")?;
    Ok(Outcome::default())
}
