//! Runs the steps inside the transaction, each proven before the next.

use std::collections::{BTreeMap, BTreeSet};

use rex_store::digest::TableDigest;
use rex_store::schema::{Difference, Object};
use rusqlite::Connection;
use serde_json::{Map, Value};

use crate::engine::Engine;
use crate::error::MigrateError;
use crate::family::Told;
use crate::look::Found;
use crate::prove;
use crate::receipt::TableProof;
use crate::step::{How, Options, Outcome, Step, Work};
use crate::survey;

/// What the steps did.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    pub(crate) tables: Vec<TableProof>,
    pub(crate) report: Map<String, Value>,
}

/// Runs the steps and proves each. The caller commits, or rolls back on any error.
///
/// # Errors
/// What a step or its proof says.
pub(crate) fn apply(
    engine: &Engine<'_>,
    connection: &Connection,
    found: &Found,
    options: &Options,
) -> Result<Applied, MigrateError> {
    let has_statistics = has_statistics(connection)?;
    let applied = match engine.family.told {
        Told::Number => one_by_one(engine, connection, found, options)?,
        Told::Columns(survey) => survey::apply(engine, survey, connection, &found.steps, options)?,
    };
    if has_statistics {
        engine.progress.begin("statistics", 0, "");
        connection
            .execute_batch("ANALYZE")
            .map_err(MigrateError::sqlite("renew the statistics"))?;
    }
    Ok(applied)
}

fn one_by_one(
    engine: &Engine<'_>,
    connection: &Connection,
    found: &Found,
    options: &Options,
) -> Result<Applied, MigrateError> {
    let mut applied = Applied::default();
    let mut known = BTreeMap::new();
    let mut unchanged = if found.has_sound_keys {
        prove::tables(connection)?
    } else {
        BTreeSet::new()
    };
    for (index, step) in found.steps.iter().enumerate() {
        if index > 0 {
            refuse(connection, step, options)?;
        }
        known = apply_step(engine, connection, step, options, known, &mut applied)?;
        unchanged.retain(|table| known.contains_key(table));
        prove_schema(engine, connection, step.to, found)?;
    }
    engine.progress.begin("foreign keys", 0, "");
    prove::foreign_keys(connection, &unchanged)?;
    Ok(applied)
}

/// Runs the steps without a proof, for what they report. The caller throws the file away.
///
/// # Errors
/// What a step says.
pub(crate) fn rehearse(
    engine: &Engine<'_>,
    connection: &Connection,
    found: &Found,
    options: &Options,
) -> Result<Map<String, Value>, MigrateError> {
    let mut report = Map::new();
    for (index, step) in found.steps.iter().enumerate() {
        if index > 0 {
            refuse(connection, step, options)?;
        }
        report.extend(run(engine, connection, step, options)?.report);
    }
    Ok(report)
}

/// Runs one step and writes its version, if the family has a place for it.
pub(crate) fn run(
    engine: &Engine<'_>,
    connection: &Connection,
    step: &Step,
    options: &Options,
) -> Result<Outcome, MigrateError> {
    engine.progress.begin(step.id, 0, "");
    let outcome = match step.how {
        How::Statements(sql) => {
            connection
                .execute_batch(sql)
                .map_err(MigrateError::sqlite("run the statements of a step"))?;
            Outcome::default()
        }
        How::Code { apply, .. } => apply(&Work {
            connection,
            options,
            progress: &*engine.progress,
            now: engine.clock.now(),
        })?,
    };
    if matches!(engine.family.told, Told::Number) {
        connection
            .pragma_update(None, "user_version", step.to)
            .map_err(MigrateError::sqlite("write the version"))?;
    }
    Ok(outcome)
}

fn apply_step(
    engine: &Engine<'_>,
    connection: &Connection,
    step: &Step,
    options: &Options,
    known: BTreeMap<String, TableDigest>,
    applied: &mut Applied,
) -> Result<BTreeMap<String, TableDigest>, MigrateError> {
    let before = prove::before(connection, step, known, &*engine.progress)?;
    let outcome = run(engine, connection, step, options)?;
    let (proofs, known) = prove::after(connection, step, &before, &*engine.progress)?;
    prove::check(&proofs)?;
    applied.tables.extend(proofs);
    applied.report.extend(outcome.report);
    Ok(known)
}

/// A later step's own look, once the step before it has made its schema.
fn refuse(connection: &Connection, step: &Step, options: &Options) -> Result<(), MigrateError> {
    let How::Code { look, .. } = step.how else {
        return Ok(());
    };
    let refusals = look(connection, options)?;
    if refusals.is_empty() {
        Ok(())
    } else {
        Err(MigrateError::Refused { refusals })
    }
}

/// The schema equals a fresh store's, save for what was unknown before and was to be carried over.
fn prove_schema(
    engine: &Engine<'_>,
    connection: &Connection,
    version: i64,
    found: &Found,
) -> Result<(), MigrateError> {
    let differences = prove::schema_differences(connection, &engine.family, version)?.unwrap_or_default();
    match differences
        .iter()
        .find(|difference| !was_carried(difference, found))
    {
        None => Ok(()),
        Some(difference) => Err(MigrateError::Schema {
            difference: difference.to_string(),
        }),
    }
}

/// An unknown column may have moved with its table's content, so its table is not compared.
fn was_carried(difference: &Difference, found: &Found) -> bool {
    let Difference::Extra(Object { kind, name, .. }) = difference else {
        return false;
    };
    found
        .unknown
        .iter()
        .any(|object| object.kind == *kind && object.name == *name)
}

fn has_statistics(connection: &Connection) -> Result<bool, MigrateError> {
    connection
        .query_row(
            "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1')",
            [],
            |row| row.get(0),
        )
        .map_err(MigrateError::sqlite("read the schema"))
}
