//! Families without a version number: what a store is follows from its columns, and all its pending steps are proven
//! together, under facts that are made for what was found.

use std::collections::BTreeSet;

use rex_store::digest::{self, TableDigest};
use rusqlite::Connection;

use crate::apply::{self, Applied};
use crate::engine::Engine;
use crate::error::MigrateError;
use crate::family::Family;
use crate::look::{Depth, Found};
use crate::prove::{self, Dangling};
use crate::receipt::TableProof;
use crate::step::{Conserved, Options, Refusal, Step, StepError};

/// How the engine learns what it must know of such a family.
#[derive(Clone, Copy)]
pub struct Survey {
    /// The version that the steps lead to.
    pub newest: i64,
    /// Says what an open store is. Reads only.
    pub look: fn(&Connection, &Options, Depth) -> Result<Surveyed, StepError>,
    /// Says what all pending steps together must conserve of the store as it is now.
    pub promise: fn(&Connection) -> Result<Promise, StepError>,
    /// Names what an upgraded store lacks that a fresh one has.
    pub lacking: fn(&Connection) -> Result<Vec<String>, StepError>,
}

/// What a store turned out to be.
#[derive(Clone, Debug, Default)]
pub struct Surveyed {
    /// The version that its columns show; `None` when it is none of the family.
    pub version: Option<i64>,
    /// The steps that have something to do, in order.
    pub steps: Vec<Step>,
    /// Every reason not to upgrade it.
    pub refusals: Vec<Refusal>,
}

/// What must be equal before and after, made for one store.
#[derive(Clone, Debug, Default)]
pub struct Promise {
    /// Every table is covered by at least one fact.
    pub facts: Vec<Fact>,
    /// The tables whose references must not come to dangle; in all others nothing changes that a reference rests on.
    pub rewritten: &'static [&'static str],
}

/// A fact that was made for one store; [`Conserved`] with texts of its own.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The table the receipt files the fact under.
    pub table: String,
    /// A query on the store as it was.
    pub before: String,
    /// A query on the upgraded store that must give the same rows, in any order.
    pub after: String,
    /// What moved where, in one line.
    pub rule: String,
}

impl From<&Conserved> for Fact {
    fn from(fact: &Conserved) -> Self {
        Self {
            table: fact.table.to_owned(),
            before: fact.before.to_owned(),
            after: fact.after.to_owned(),
            rule: fact.rule.to_owned(),
        }
    }
}

/// Says what a connection's store is and why it would be refused.
pub(crate) fn inspect(
    connection: &Connection,
    survey: &Survey,
    family: &Family<'_>,
    options: &Options,
    depth: Depth,
) -> Result<(Found, Vec<Refusal>), MigrateError> {
    let seen = (survey.look)(connection, options, depth)?;
    let found = Found {
        version: seen.version.unwrap_or_default(),
        to: survey.newest,
        has_sound_keys: false,
        is_known: seen.version.is_some(),
        steps: seen.steps,
        unknown: BTreeSet::new(),
    };
    if found.is_known {
        return Ok((found, seen.refusals));
    }
    let is_empty = prove::tables(connection)?.is_empty();
    let refusal = Refusal {
        cause: if is_empty {
            "the database is empty".to_owned()
        } else {
            format!("the database is no {}", family.name)
        },
        hint: "check the path".to_owned(),
    };
    Ok((found, vec![refusal]))
}

/// Runs the steps one behind the other and proves them together: each of them would cost as much to prove as all.
pub(crate) fn apply(
    engine: &Engine<'_>,
    survey: &Survey,
    connection: &Connection,
    steps: &[Step],
    options: &Options,
) -> Result<Applied, MigrateError> {
    let promise = (survey.promise)(connection)?;
    engine
        .progress
        .begin("digests before", promise.facts.len() as u64, "tables");
    let read = |sql: fn(&Fact) -> &str| -> Result<Vec<TableDigest>, MigrateError> {
        let digests = promise.facts.iter().enumerate().map(|(done, fact)| {
            engine.progress.at(done as u64);
            Ok(digest::query(connection, sql(fact))?)
        });
        digests.collect()
    };
    let before = read(|fact| &fact.before)?;
    let dangling_before = dangling(connection, promise.rewritten)?;
    let mut applied = Applied::default();
    for step in steps {
        applied
            .report
            .extend(apply::run(engine, connection, step, options)?.report);
    }
    cover(connection, &promise.facts)?;
    engine
        .progress
        .begin("digests after", promise.facts.len() as u64, "tables");
    let after = read(|fact| &fact.after)?;
    applied.tables = proofs(&promise.facts, &before, &after);
    prove::check(&applied.tables)?;
    no_more_dangling(&dangling_before, dangling(connection, promise.rewritten)?)?;
    match (survey.lacking)(connection)?.into_iter().next() {
        None => Ok(applied),
        Some(difference) => Err(MigrateError::Schema { difference }),
    }
}

/// Reads the facts of an upgrade again: before from the backup, after from the store.
pub(crate) fn against_backup(
    survey: &Survey,
    backup: &Connection,
    store: &Connection,
) -> Result<Vec<TableProof>, MigrateError> {
    let promise = (survey.promise)(backup)?;
    let read = |connection: &Connection, sql: fn(&Fact) -> &str| -> Result<Vec<TableDigest>, MigrateError> {
        let digests = promise
            .facts
            .iter()
            .map(|fact| digest::query(connection, sql(fact)));
        Ok(digests.collect::<Result<_, _>>()?)
    };
    let before = read(backup, |fact| &fact.before)?;
    let after = read(store, |fact| &fact.after)?;
    Ok(proofs(&promise.facts, &before, &after))
}

fn proofs(facts: &[Fact], before: &[TableDigest], after: &[TableDigest]) -> Vec<TableProof> {
    facts
        .iter()
        .zip(before.iter().zip(after))
        .map(|(fact, (old, new))| TableProof::new(&fact.table, *old, *new, &fact.rule))
        .collect()
}

/// Every table that holds rows of its own has a fact.
fn cover(connection: &Connection, facts: &[Fact]) -> Result<(), MigrateError> {
    let covered: BTreeSet<&str> = facts.iter().map(|fact| fact.table.as_str()).collect();
    let tables = ordinary_tables(connection).map_err(MigrateError::sqlite("list the tables"))?;
    if let Some(table) = tables.iter().find(|table| !covered.contains(table.as_str())) {
        return Err(MigrateError::Uncovered {
            table: table.clone(),
            event: "appeared",
        });
    }
    match covered.into_iter().find(|table| !tables.contains(*table)) {
        None => Ok(()),
        Some(table) => Err(MigrateError::Uncovered {
            table: table.to_owned(),
            event: "disappeared",
        }),
    }
}

/// The tables with rows of their own. A virtual table's rows are those of other tables, and its module may not be there.
pub(crate) fn ordinary_tables(connection: &Connection) -> rusqlite::Result<BTreeSet<String>> {
    connection
        .prepare(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')
                AND name NOT IN ('sqlite_schema', 'sqlite_temp_schema') AND name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\'",
        )?
        .query_map([], |row| row.get(0))?
        .collect()
}

fn dangling(connection: &Connection, tables: &[&str]) -> Result<Vec<Dangling>, MigrateError> {
    let mut found = Vec::new();
    for table in tables {
        let is_there = connection
            .table_exists(None, *table)
            .map_err(MigrateError::sqlite("read the schema"))?;
        if is_there {
            found.extend(
                prove::dangling(connection, Some(table))
                    .map_err(MigrateError::sqlite("check the foreign keys"))?,
            );
        }
    }
    Ok(found)
}

/// Rows that point nowhere may stay, but none may be added.
fn no_more_dangling(before: &[Dangling], after: Vec<Dangling>) -> Result<(), MigrateError> {
    let allowed = |row: &Dangling| {
        before
            .iter()
            .find(|old| old.table == row.table && old.parent == row.parent)
            .map_or(0, |old| old.rows)
    };
    match after.into_iter().find(|row| row.rows > allowed(row)) {
        None => Ok(()),
        Some(Dangling { table, parent, rows }) => Err(MigrateError::ForeignKeys { table, parent, rows }),
    }
}
