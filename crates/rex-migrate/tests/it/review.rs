//! Every store in `fixtures/review` is looked at, upgraded and held against what the rules say it must become.

mod crash;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rex_migrate::engine::{Done, Engine, Keep, Request, Target};
use rex_migrate::family;
use rex_migrate::look::{Depth, Look};
use rex_migrate::receipt::{Receipt, TableProof};
use rex_migrate::step::Options;
use rex_store::review::{self, Shape};
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cli::Place;
use crate::engine::listing;
use crate::fixtures::query;
use crate::toy;

/// `expected.json`; `fixtures/review/README.md` describes it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    about: String,
    base: Option<String>,
    #[serde(default)]
    keep_unknown: bool,
    #[serde(default)]
    refused: Vec<String>,
    #[serde(default)]
    nothing_to_do: bool,
    last_opened_by: Option<u8>,
    created_by: Option<(u8, u8)>,
    becomes: Option<String>,
    #[serde(default)]
    rows: BTreeMap<String, Vec<Value>>,
    #[serde(default)]
    facts: BTreeMap<String, Value>,
    #[serde(default)]
    report: BTreeMap<String, Value>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/review")
}

fn expected(name: &str) -> Expected {
    let text = std::fs::read_to_string(root().join(name).join("expected.json")).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.len() > 50, "there are fixtures");
    names
}

/// Builds the store: the base's statements first, then its own.
pub(crate) fn build(name: &str, store: &Path) {
    let base = expected(name).base;
    let connection = toy::open(store);
    connection
        .execute_batch("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF;")
        .unwrap();
    for name in base.iter().map(String::as_str).chain([name]) {
        let rows = std::fs::read_to_string(root().join(name).join("store.sql")).unwrap();
        connection
            .execute_batch(&rows)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn every_review_store_becomes_what_the_rules_say() {
    let mut wrong = Vec::new();
    for name in names() {
        let expected = expected(&name);
        let faults = faults(&name, &expected);
        if !faults.is_empty() {
            wrong.push(format!(
                "{name}: {}\n    {}",
                expected.about,
                faults.join("\n    ")
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} fixtures are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn differ(faults: &mut Vec<String>, what: &str, found: &Value, expected: &Value) {
    if found != expected {
        faults.push(format!("{what}: {found}\n      expected {expected}"));
    }
}

fn faults(name: &str, expected: &Expected) -> Vec<String> {
    let (home, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = home.path().join("rex.db");
    build(name, &store);
    let mut faults = Vec::new();
    let request = Request {
        target: Target::InPlace(Keep::Beside),
        options: Options {
            keep_unknown: expected.keep_unknown,
        },
        compact: false,
    };
    let engine = Engine::new(family::REVIEW, scratch.path());
    compare_generation(&mut faults, &toy::open(&store), expected);
    let before = facts_of(&toy::open(&store));
    let files = listing(home.path());
    let look = engine.look(&store, &request.options, Depth::Full).unwrap();
    let done = engine.up(&look, &request);
    if !expected.refused.is_empty() || !look.refusals.is_empty() {
        compare_refusals(&mut faults, &look, &expected.refused);
        assert_eq!(listing(home.path()), files, "a refusal leaves no trace");
        return faults;
    }
    drop(look);
    match done {
        Ok(Done::Upgraded(upgraded)) => {
            compare_again(&mut faults, &engine, &store, &upgraded.receipt);
            compare_report(&mut faults, &upgraded.receipt, expected);
        }
        Ok(Done::NothingToDo) => {}
        Err(error) => {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            faults.push(format!("the upgrade failed: {error} {source:?}"));
            return faults;
        }
    }
    let is_untouched = listing(home.path()) == files;
    if is_untouched != expected.nothing_to_do {
        faults.push(format!("nothing was done: {is_untouched}"));
    }
    let new = toy::open(&store);
    compare_rows(&mut faults, &new, expected);
    for (sql, rows) in &expected.facts {
        differ(&mut faults, sql, &json!(query(&new, sql)), rows);
    }
    compare_whole(&mut faults, &new, &before);
    faults
}

fn compare_refusals(faults: &mut Vec<String>, look: &Look, expected: &[String]) {
    let causes: Vec<&str> = look.refusals.iter().map(|refusal| &*refusal.cause).collect();
    if expected.is_empty() {
        faults.push(format!("refused: {causes:?}"));
    }
    for part in expected
        .iter()
        .filter(|part| !causes.iter().any(|cause| cause.contains(*part)))
    {
        faults.push(format!("no refusal says {part:?}: {causes:?}"));
    }
}

/// An upgraded store holds against its backup, and a second upgrade has nothing to do.
fn compare_again(faults: &mut Vec<String>, engine: &Engine<'_>, store: &Path, receipt: &Receipt) {
    let backup = &receipt.backup.as_ref().unwrap().path;
    let verified = engine.verify(store, Some(backup)).unwrap();
    let holds = verified.tables.iter().all(TableProof::holds);
    if !holds || !verified.schema_differences.is_empty() {
        faults.push(format!("verified against its backup: {verified:?}"));
    }
    let again = engine
        .look(store, &Options { keep_unknown: true }, Depth::Full)
        .unwrap();
    let steps = again.found.unwrap().steps;
    let steps: Vec<_> = steps.iter().map(|step| step.id).collect();
    if !steps.is_empty() {
        faults.push(format!("a second upgrade would do {steps:?}"));
    }
}

fn compare_generation(faults: &mut Vec<String>, old: &Connection, expected: &Expected) {
    let found = review::generation(old).unwrap().unwrap();
    if let Some(generation) = expected.last_opened_by {
        differ(
            faults,
            "last opened by",
            &json!(found.last_opened_by),
            &json!(generation),
        );
        differ(faults, "lacking", &json!(found.lacking), &json!([]));
    }
    if let Some(generations) = expected.created_by {
        let created_by = (*found.created_by.start(), *found.created_by.end());
        differ(faults, "created by", &json!(created_by), &json!(generations));
    }
}

/// The columns that `rows` lists: those of a fresh store, behind the row number; of gateways, routes, sessions and
/// settings neither the row number nor the time, which are the upgrade's own.
fn columns(table: &str) -> (String, &'static str) {
    let fresh = Connection::open_in_memory().unwrap();
    review::create_13(&fresh).unwrap();
    let shape = Shape::read(&fresh).unwrap();
    let own = [
        "agent_gateway",
        "gateway_route",
        "thread_session",
        "gateway_provider",
        "gateway_model",
        "apply_run",
        "workspace_rule",
        "setting",
    ];
    let mut columns: Vec<String> = shape.columns(table).to_vec();
    if ["agent_gateway", "thread_session"].contains(&table) {
        columns.retain(|column| column != "created_at");
    }
    if own.contains(&table) && table != "apply_run" {
        return (columns.join(", "), "1, 2, 3");
    }
    (format!("rowid, {}", columns.join(", ")), "rowid")
}

fn compare_rows(faults: &mut Vec<String>, new: &Connection, expected: &Expected) {
    let becomes = expected.becomes.as_deref().map(self::expected);
    let rows = becomes.as_ref().map_or(&expected.rows, |other| &other.rows);
    for (table, rows) in rows {
        let (columns, order) = columns(table);
        let order = if table == "setting" || table == "gateway_model" {
            "1, 2"
        } else {
            order
        };
        let found = query(new, &format!("SELECT {columns} FROM {table} ORDER BY {order}"));
        for (found, expected) in found.iter().zip(rows) {
            differ(faults, table, &json!(found), expected);
        }
        differ(
            faults,
            &format!("rows of {table}"),
            &json!(found.len()),
            &json!(rows.len()),
        );
    }
}

fn compare_report(faults: &mut Vec<String>, receipt: &Receipt, expected: &Expected) {
    let report = Value::Object(receipt.report.clone());
    for (pointer, value) in &expected.report {
        let found = report.pointer(pointer).cloned().unwrap_or_default();
        differ(faults, pointer, &found, value);
    }
}

/// What must hold of any store: the objects of others, and how many references dangle.
fn facts_of(store: &Connection) -> (Value, i64) {
    let others = "SELECT type, name FROM sqlite_schema WHERE type IN ('index', 'trigger', 'view')
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
    let dangling = store
        .query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| {
            row.get(0)
        })
        .unwrap();
    (json!(query(store, others)), dangling)
}

fn compare_whole(faults: &mut Vec<String>, new: &Connection, before: &(Value, i64)) {
    let after = facts_of(new);
    for object in before.0.as_array().unwrap() {
        if !after.0.as_array().unwrap().contains(object) {
            faults.push(format!("{object} is gone"));
        }
    }
    if after.1 > before.1 {
        faults.push(format!("{} references dangle, {} before", after.1, before.1));
    }
    let fresh = Connection::open_in_memory().unwrap();
    review::create_13(&fresh).unwrap();
    let (fresh, shape) = (Shape::read(&fresh).unwrap(), Shape::read(new).unwrap());
    for table in fresh.tables() {
        for column in fresh.columns(table) {
            assert!(shape.has_column(table, column), "{table}.{column}");
        }
    }
    for (name, _) in fresh.others() {
        assert!(shape.has_other(name), "{name}");
    }
    let is_whole =
        "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check NOT LIKE '%vec0%'";
    differ(
        faults,
        "integrity",
        &json!(query(new, is_whole)),
        &json!([["ok"]]),
    );
    let agrees =
        new.execute_batch("INSERT INTO message_fts(message_fts, rank) VALUES ('integrity-check', 1)");
    if let Err(error) = agrees {
        faults.push(format!("the full-text index disagrees: {error}"));
    }
}

#[test]
fn the_command_line_knows_a_review_store() {
    let place = Place::empty();
    let store = place.folder.path().join("rex.db");
    build("g07", &store);
    let before = listing(place.folder.path());
    let status = place.run(&["status", "rex.db"]);
    assert!(status.contains("review store, version 7"), "{status}");
    assert!(
        status.contains("review.lanes") && status.ends_with("[exit status: 0]\n"),
        "{status}"
    );
    let older = place.run(&["up", "--yes", "--target", "9", "rex.db"]);
    let says = "error: an upgrade leads to version 13, and an application of version 9 is older\n";
    assert!(
        older.contains(says) && older.ends_with("[exit status: 3]\n"),
        "{older}"
    );
    let tried = place.run(&["up", "--dry-run", "--target", "13", "rex.db"]);
    assert!(
        tried.contains("from 7 to 13") && tried.contains("every message with its row number"),
        "{tried}"
    );
    assert_eq!(listing(place.folder.path()), before);
    let done = place.run(&["up", "--yes", "rex.db"]);
    assert!(done.ends_with("[exit status: 0]\n"), "{done}");
    let again = place.run(&["up", "--yes", "rex.db"]);
    assert!(again.contains("at version 13 already: nothing to do"), "{again}");
    let back = place.run(&["restore", "rex.db"]);
    assert!(back.ends_with("[exit status: 0]\n"), "{back}");
    assert_eq!(before["rex.db"].0, std::fs::read(&store).unwrap());
    let explained = place.run(&["explain", "rex.db", "Ada/1"]);
    assert!(
        explained.contains("the database is no daemon store"),
        "{explained}"
    );
    let schema = place.run(&["schema", "--kind", "review"]);
    assert!(
        schema.contains("idx_thread_group") && !schema.contains("user_version"),
        "{schema}"
    );
}
