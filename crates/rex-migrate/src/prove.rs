//! The proof: every table, touched or not, holds the same rows before and after, as the step's facts say.
//!
//! Each table is read once before a step and once behind it. What was read behind one step is what stood before the
//! next, and the old content is read under the lock from the store itself: the backup is byte-equal, but reading it
//! would need a second page cache and save nothing.

use std::collections::{BTreeMap, BTreeSet};

use rex_store::digest::{self, TableDigest};
use rex_store::schema::Schema;
use rusqlite::Connection;

use crate::error::MigrateError;
use crate::family::Family;
use crate::progress::Progress;
use crate::receipt::TableProof;
use crate::step::Step;

mod keys;

/// The rule of a table that no fact names.
pub(crate) const UNCHANGED: &str = "unchanged";

/// What was read before a step.
#[derive(Debug, Default)]
pub(crate) struct Before {
    facts: Vec<TableDigest>,
    tables: BTreeMap<String, TableDigest>,
}

/// Reads what a step must conserve. `known` holds digests of whole tables that are still true.
///
/// # Errors
/// [`MigrateError::Store`] when a table or a fact's query cannot be read.
pub(crate) fn before(
    connection: &Connection,
    step: &Step,
    mut known: BTreeMap<String, TableDigest>,
    progress: &dyn Progress,
) -> Result<Before, MigrateError> {
    register(connection, step)?;
    let untouched = untouched(connection, step)?;
    progress.begin(
        "digests before",
        (step.conserves.len() + untouched.len()) as u64,
        "tables",
    );
    let mut read = Before::default();
    for fact in step.conserves {
        read.facts.push(digest::query(connection, fact.before)?);
        progress.at(read.facts.len() as u64);
    }
    for name in untouched {
        let digest = match known.remove(&name) {
            Some(digest) => digest,
            None => digest::table(connection, &name)?,
        };
        read.tables.insert(name, digest);
        progress.at((read.facts.len() + read.tables.len()) as u64);
    }
    Ok(read)
}

/// Reads the same behind the step, whether or not it still holds: [`check`] decides. Also returns the digests of whole
/// tables, for the next step.
///
/// # Errors
/// [`MigrateError::Store`] as [`before`]; [`MigrateError::Uncovered`] for a table that came or went without a fact.
pub(crate) fn after(
    connection: &Connection,
    step: &Step,
    before: &Before,
    progress: &dyn Progress,
) -> Result<(Vec<TableProof>, BTreeMap<String, TableDigest>), MigrateError> {
    let untouched = untouched(connection, step)?;
    if let Some(table) = untouched.iter().find(|name| !before.tables.contains_key(*name)) {
        return Err(MigrateError::Uncovered {
            table: table.clone(),
            event: "appeared",
        });
    }
    if let Some(table) = before.tables.keys().find(|name| !untouched.contains(*name)) {
        return Err(MigrateError::Uncovered {
            table: table.clone(),
            event: "disappeared",
        });
    }
    progress.begin(
        "digests after",
        (step.conserves.len() + untouched.len()) as u64,
        "tables",
    );
    let mut proofs = Vec::new();
    for (fact, old) in step.conserves.iter().zip(&before.facts) {
        let new = digest::query(connection, fact.after)?;
        proofs.push(TableProof::new(fact.table, *old, new, fact.rule));
        progress.at(proofs.len() as u64);
    }
    let mut known = BTreeMap::new();
    for (name, old) in &before.tables {
        let new = digest::table(connection, name)?;
        proofs.push(TableProof::new(name, *old, new, UNCHANGED));
        known.insert(name.clone(), new);
        progress.at(proofs.len() as u64);
    }
    Ok((proofs, known))
}

/// Refuses the first fact that does not hold.
///
/// # Errors
/// [`MigrateError::Unproven`], which names the table.
pub(crate) fn check(proofs: &[TableProof]) -> Result<(), MigrateError> {
    match proofs.iter().find(|proof| !proof.holds()) {
        None => Ok(()),
        Some(broken) => Err(MigrateError::Unproven {
            table: broken.name.clone(),
            rows_before: broken.rows_before,
            rows_after: broken.rows_after,
            rule: broken.rule.clone(),
        }),
    }
}

fn register(connection: &Connection, step: &Step) -> Result<(), MigrateError> {
    match step.functions {
        Some(functions) => {
            functions(connection).map_err(MigrateError::sqlite("register the functions of a step"))
        }
        None => Ok(()),
    }
}

/// The tables that no fact of the step names. `sqlite_sequence` is one of them: a counter that falls back would
/// give a number out twice. Statistics of ANALYZE are not content.
fn untouched(connection: &Connection, step: &Step) -> Result<BTreeSet<String>, MigrateError> {
    let covered: BTreeSet<&str> = step.conserves.iter().map(|fact| fact.table).collect();
    let mut tables = tables(connection)?;
    tables.retain(|name| !covered.contains(name.as_str()));
    Ok(tables)
}

/// Every table with rows of its own that people or programs wrote.
pub(crate) fn tables(connection: &Connection) -> Result<BTreeSet<String>, MigrateError> {
    let read = || -> rusqlite::Result<BTreeSet<String>> {
        connection
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\'")?
            .query_map([], |row| row.get(0))?
            .collect()
    };
    read().map_err(MigrateError::sqlite("list the tables"))
}

/// Refuses rows that point nowhere. `unchanged` are tables that were free of such rows before and are proven to hold
/// the same rows: between two of them nothing can have broken, so they are not read once more.
///
/// # Errors
/// [`MigrateError::ForeignKeys`], which names the first table with how many of its rows.
pub(crate) fn foreign_keys(
    connection: &Connection,
    unchanged: &BTreeSet<String>,
) -> Result<(), MigrateError> {
    for table in tables(connection)? {
        let parents = parents(connection, &table).map_err(MigrateError::sqlite("read the foreign keys"))?;
        if unchanged.contains(&table) && parents.is_subset(unchanged) {
            continue;
        }
        let found = violated(connection, &table)?;
        if let Some(Dangling { table, parent, rows }) = found.into_iter().next() {
            return Err(MigrateError::ForeignKeys { table, parent, rows });
        }
    }
    Ok(())
}

/// Counts what is wrong with the keys of one table, by parent.
///
/// # Errors
/// [`MigrateError::Sqlite`] when it cannot be read.
pub(crate) fn violated(connection: &Connection, table: &str) -> Result<Vec<Dangling>, MigrateError> {
    let check = || {
        if keys::are_sound(connection, table)? {
            return Ok(Vec::new());
        }
        dangling(connection, Some(table))
    };
    check().map_err(MigrateError::sqlite("check the foreign keys"))
}

fn parents(connection: &Connection, table: &str) -> rusqlite::Result<BTreeSet<String>> {
    connection
        .prepare("SELECT \"table\" FROM pragma_foreign_key_list(?1)")?
        .query_map([table], |row| row.get(0))?
        .collect()
}

/// Before or behind a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// Everything a step conserves, on one side of it, by table and rule.
pub(crate) fn states(
    connection: &Connection,
    step: &Step,
    side: Side,
) -> Result<BTreeMap<(String, String), TableDigest>, MigrateError> {
    register(connection, step)?;
    let mut states = BTreeMap::new();
    for fact in step.conserves {
        let sql = if side == Side::Before {
            fact.before
        } else {
            fact.after
        };
        states.insert(
            (fact.table.to_owned(), fact.rule.to_owned()),
            digest::query(connection, sql)?,
        );
    }
    for name in untouched(connection, step)? {
        let digest = digest::table(connection, &name)?;
        states.insert((name, UNCHANGED.to_owned()), digest);
    }
    Ok(states)
}

/// Rows of one table that name a row of another that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dangling {
    pub(crate) table: String,
    pub(crate) parent: String,
    pub(crate) rows: i64,
}

impl std::fmt::Display for Dangling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { table, parent, rows } = self;
        let (rows_name, verb) = if *rows == 1 {
            ("row", "names")
        } else {
            ("rows", "name")
        };
        write!(
            f,
            "{rows} {rows_name} of {table} {verb} a row of {parent} that is not there"
        )
    }
}

/// Counts violated foreign keys of one table or of all, by table and parent.
pub(crate) fn dangling(connection: &Connection, table: Option<&str>) -> rusqlite::Result<Vec<Dangling>> {
    let check = table.map_or("pragma_foreign_key_check", |_| "pragma_foreign_key_check(?1)");
    let sql = format!(
        "SELECT \"table\", coalesce(\"parent\", ''), count(*) FROM {check} GROUP BY 1, 2 ORDER BY 1, 2"
    );
    connection
        .prepare(&sql)?
        .query_map(rusqlite::params_from_iter(table), |row| {
            Ok(Dangling {
                table: row.get(0)?,
                parent: row.get(1)?,
                rows: row.get(2)?,
            })
        })?
        .collect()
}

/// The differences between a store's schema and a fresh one's at a version; `None` when the family does not know it.
///
/// # Errors
/// [`MigrateError::Sqlite`] or [`MigrateError::Store`] when one of them cannot be read.
pub(crate) fn schema_differences(
    connection: &Connection,
    family: &Family<'_>,
    version: i64,
) -> Result<Option<Vec<rex_store::schema::Difference>>, MigrateError> {
    let memory = Connection::open_in_memory().map_err(MigrateError::sqlite("open a database in memory"))?;
    if !(family.fresh)(&memory, version)? {
        return Ok(None);
    }
    Ok(Some(
        Schema::read(connection)?.differences(&Schema::read(&memory)?),
    ))
}
