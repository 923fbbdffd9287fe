//! Every store in `fixtures/daemon` is looked at, upgraded and held against what the rules say it must become.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rex_migrate::engine::{Done, Keep, Request, Target};
use rex_migrate::explain::{self, Members};
use rex_migrate::family;
use rex_migrate::files::SystemFiles;
use rex_migrate::look::Depth;
use rex_migrate::step::Options;
use rex_store::daemon::{self, From, Request as Sent};
use rex_store::error::StoreError;
use rex_store::open::Reader;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::toy;

/// `expected.json`; `fixtures/daemon/README.md` describes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    about: String,
    #[serde(default)]
    keep_unknown: bool,
    #[serde(default)]
    refused: Vec<String>,
    #[serde(default)]
    messages: BTreeMap<i64, String>,
    #[serde(default)]
    more_messages: bool,
    #[serde(default)]
    by_rule: Option<BTreeMap<String, u64>>,
    #[serde(default)]
    classes: BTreeMap<String, Option<Vec<i64>>>,
    #[serde(default)]
    facts: BTreeMap<String, Value>,
    #[serde(default)]
    resends: Vec<Resend>,
    #[serde(default)]
    prunes: Vec<Prune>,
    #[serde(default)]
    next_number: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Resend {
    bot: String,
    request_id: String,
    words: String,
    #[serde(default = "reject")]
    delivery: String,
    workspace: Option<String>,
    model: Option<String>,
    effort: Option<String>,
    expected_turn: Option<i64>,
    from_bot: Option<String>,
    gives: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Prune {
    bot: String,
    keep: u32,
    retained: Vec<i64>,
    events: Vec<i64>,
}

fn reject() -> String {
    "reject".to_owned()
}

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/daemon");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("expected.json").exists())
        .collect();
    folders.sort();
    assert!(folders.len() > 1, "there are fixtures");
    folders
}

/// Builds the store: an empty one of version 90 with its singletons, then the fixture's own rows.
fn build(folder: &Path, store: &Path) {
    let connection = toy::open(store);
    connection
        .execute_batch("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")
        .unwrap();
    daemon::create_90(&connection).unwrap();
    daemon::found(&connection, 7).unwrap();
    let rows = std::fs::read_to_string(folder.join("store.sql")).unwrap();
    connection
        .execute_batch(&format!("BEGIN; {rows}; COMMIT"))
        .unwrap();
}

#[test]
fn every_fixture_becomes_what_the_rules_say() {
    let mut wrong = Vec::new();
    for folder in folders() {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let expected = std::fs::read_to_string(folder.join("expected.json")).unwrap();
        let expected: Expected =
            serde_json::from_str(&expected).unwrap_or_else(|error| panic!("{name}: {error}"));
        let faults = faults(&folder, &expected);
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

fn faults(folder: &Path, expected: &Expected) -> Vec<String> {
    let (home, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = home.path().join("store.db");
    build(folder, &store);
    let mut faults = Vec::new();
    let engine = toy::engine(family::DAEMON, &SystemFiles, scratch.path());
    let options = Options {
        keep_unknown: expected.keep_unknown,
    };
    let request = Request {
        target: Target::InPlace(Keep::Nothing),
        options,
        compact: false,
    };
    let look = engine.look(&store, &request.options, Depth::Full).unwrap();
    let causes: Vec<String> = look
        .refusals
        .iter()
        .map(|refusal| refusal.cause.clone())
        .collect();
    if !expected.refused.is_empty() || !causes.is_empty() {
        compare_refusals(&mut faults, &causes, &expected.refused);
        return faults;
    }
    let old = Reader::open(&store, scratch.path()).unwrap();
    compare_messages(&mut faults, old.connection(), expected);
    compare_classes(&mut faults, old.connection(), expected);
    drop(old);
    let receipt = match engine.up(&look, &request) {
        Ok(Done::Upgraded(upgraded)) => upgraded.receipt,
        Ok(Done::NothingToDo) => panic!("nothing was done"),
        Err(error) => {
            faults.push(format!(
                "the upgrade failed: {error} {:?}",
                std::error::Error::source(&error)
            ));
            return faults;
        }
    };
    compare_attribution(&mut faults, &receipt.report, expected);
    let again = engine.look(&store, &request.options, Depth::Full).unwrap();
    assert_eq!(again.refusals, Vec::new());
    assert_eq!(
        engine.up(&again, &request).unwrap(),
        Done::NothingToDo,
        "a second upgrade does nothing"
    );
    drop((look, again));
    let new = toy::open(&store);
    compare_placement(&mut faults, &new, expected);
    compare_facts(&mut faults, &new, &expected.facts);
    compare_write_path(&mut faults, &new, expected);
    faults
}

fn differ(faults: &mut Vec<String>, what: &str, found: &impl ToString, expected: &impl ToString) {
    let (found, expected) = (found.to_string(), expected.to_string());
    if found != expected {
        faults.push(format!("{what}: {found}, expected {expected}"));
    }
}

fn compare_refusals(faults: &mut Vec<String>, causes: &[String], expected: &[String]) {
    if expected.is_empty() {
        faults.push(format!("refused: {}", causes.join(" | ")));
    }
    for part in expected
        .iter()
        .filter(|part| !causes.iter().any(|cause| says(cause, part)))
    {
        faults.push(format!("no refusal says {part:?}, found: {}", causes.join(" | ")));
    }
}

/// A number must stand by itself: 7 is not said by 17.
fn says(cause: &str, part: &str) -> bool {
    let lone = |at: usize| {
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        !digit(cause[..at].chars().next_back()) && !digit(cause[at + part.len()..].chars().next())
    };
    let is_number = part.chars().all(|c| c.is_ascii_digit());
    cause.match_indices(part).any(|(at, _)| !is_number || lone(at))
}

/// `STATUS[, turn N by RULE | , no turn][, node N by RULE | , no node]`, as `expected.json` spells it.
fn render(status: &str, turn: Option<i64>, turn_rule: &str, node: Option<i64>, node_rule: &str) -> String {
    let place = |what: &str, number: Option<i64>, rule: &str| match number {
        Some(number) => format!(", {what} {number} by {rule}"),
        None if status == "taken" => format!(", no {what}"),
        None => String::new(),
    };
    format!(
        "{status}{}{}",
        place("turn", turn, turn_rule),
        place("node", node, node_rule)
    )
}

fn compare_messages(faults: &mut Vec<String>, old: &Connection, expected: &Expected) {
    for (number, text) in &expected.messages {
        let bot: String = old
            .query_row("SELECT bot FROM turns WHERE id = ?1", [number], |row| row.get(0))
            .unwrap();
        let Some(why) = explain::message(old, &bot, *number).unwrap() else {
            faults.push(format!("message {number} is not explained"));
            continue;
        };
        let found = render(&why.status, why.turn, &why.turn_rule, why.node, &why.node_rule);
        differ(faults, &format!("message {number} is explained as"), &found, text);
    }
}

/// What the store itself must hold; only an explanation knows the rules.
fn compare_placement(faults: &mut Vec<String>, new: &Connection, expected: &Expected) {
    let mut statement = new
        .prepare("SELECT number, status, turn, node FROM messages ORDER BY number")
        .unwrap();
    let mut rows = statement.query([]).unwrap();
    let mut found: BTreeMap<i64, String> = BTreeMap::new();
    while let Some(row) = rows.next().unwrap() {
        let status: String = row.get(1).unwrap();
        found.insert(
            row.get(0).unwrap(),
            render(&status, row.get(2).unwrap(), "", row.get(3).unwrap(), ""),
        );
    }
    for (number, text) in &expected.messages {
        let found = found.remove(number).unwrap_or_else(|| "missing".to_owned());
        differ(
            faults,
            &format!("message {number} is stored as"),
            &found,
            &without_rules(text),
        );
    }
    if !expected.more_messages && !found.is_empty() {
        faults.push(format!("messages that nobody expects: {found:?}"));
    }
}

fn without_rules(text: &str) -> String {
    let parts = text.split(", ").map(|part| match part.split_once(" by ") {
        Some((part, _)) => format!("{part} by "),
        None => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join(", ")
}

const CLASSES: [&str; 4] = [
    "clock_unsafe_bots",
    "disagreements",
    "unreadable_payloads",
    "dead_handles",
];

fn compare_classes(faults: &mut Vec<String>, old: &Connection, expected: &Expected) {
    let named = expected
        .classes
        .keys()
        .map(String::as_str)
        .filter(|class| !CLASSES.contains(class));
    for class in CLASSES.into_iter().chain(named) {
        if let Some(members) = expected.class(class) {
            let found = explain::class(old, class).unwrap();
            differ(
                faults,
                class,
                &format!("{found:?}"),
                &format!("{:?}", Members::Numbers(members)),
            );
        }
    }
}

/// Without `by_rule`, the counts follow from the messages, all of which are then listed.
fn compare_attribution(
    faults: &mut Vec<String>,
    report: &serde_json::Map<String, Value>,
    expected: &Expected,
) {
    let attribution = report.get("attribution").cloned().unwrap_or_default();
    let by_rule = expected
        .by_rule
        .clone()
        .unwrap_or_else(|| counts(expected.messages.values()));
    for (rule, count) in &by_rule {
        let found = attribution
            .pointer(&format!("/by_rule/{rule}"))
            .or(attribution.get(rule));
        let found = found.cloned().unwrap_or_default();
        differ(faults, &format!("count of {rule}"), &found, count);
    }
    for class in CLASSES {
        if let Some(members) = expected.class(class) {
            let found = attribution.get(class).cloned().unwrap_or_default();
            differ(faults, &format!("count of {class}"), &found, &members.len());
        }
    }
}

fn counts<'a>(messages: impl Iterator<Item = &'a String>) -> BTreeMap<String, u64> {
    let mut counts: BTreeMap<String, u64> = [
        "own",
        "a",
        "b",
        "c",
        "d",
        "e",
        "without_turn",
        "without_node",
        "read",
        "written",
    ]
    .map(|name| (name.to_owned(), 0))
    .into();
    let mut count = |name: &str| *counts.entry(name.to_owned()).or_default() += 1;
    for message in messages {
        count("read");
        count("written");
        let mut parts = message.split(", ");
        if parts.next() != Some("taken") {
            continue;
        }
        match parts.next().and_then(|turn| turn.split_once(" by ")) {
            Some((_, rule)) => count(rule),
            None => ["e", "without_turn"].into_iter().for_each(&mut count),
        }
        if parts.next() == Some("no node") {
            count("without_node");
        }
    }
    counts
}

fn compare_facts(faults: &mut Vec<String>, new: &Connection, facts: &BTreeMap<String, Value>) {
    for (sql, expected) in facts {
        differ(faults, sql, &json!(query(new, sql)), expected);
    }
}

pub(crate) fn query(connection: &Connection, sql: &str) -> Vec<Vec<Value>> {
    let mut statement = connection
        .prepare(sql)
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
    let columns = statement.column_count();
    let rows = statement
        .query_map([], |row| {
            (0..columns)
                .map(|column| Ok(value(row.get_ref(column)?)))
                .collect()
        })
        .unwrap();
    rows.map(|row| row.unwrap()).collect()
}

fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(integer) => json!(integer),
        ValueRef::Real(real) => json!(real),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => json!(String::from_utf8_lossy(bytes)),
    }
}

fn compare_write_path(faults: &mut Vec<String>, new: &Connection, expected: &Expected) {
    for resend in &expected.resends {
        let before = new.total_changes();
        let found = match daemon::resend(new, &resend.request()) {
            Ok(None) => json!("new"),
            Ok(Some(resent)) => json!({"number": resent.number, "turn": resent.turn}),
            Err(StoreError::IdempotencyConflict { field, .. }) => json!({ "conflict": field }),
            Err(error) => panic!("{error}"),
        };
        differ(
            faults,
            &format!("resend of {} to {}", resend.request_id, resend.bot),
            &found,
            &resend.gives,
        );
        assert_eq!(new.total_changes(), before, "a resend writes nothing");
    }
    for prune in &expected.prunes {
        while daemon::prune(new, &prune.bot, prune.keep).unwrap().more {}
        let left = |sql: &str| json!(query(new, sql).concat());
        let retained = left("SELECT message FROM retained_messages ORDER BY message");
        differ(
            faults,
            &format!("retained after prune {} {}", prune.bot, prune.keep),
            &retained,
            &json!(prune.retained),
        );
        let events = left("SELECT id FROM events ORDER BY id");
        differ(
            faults,
            &format!("events after prune {} {}", prune.bot, prune.keep),
            &events,
            &json!(prune.events),
        );
    }
    if let Some(expected) = &expected.next_number {
        let found = match daemon::next_number(new) {
            Ok(number) => json!(number),
            Err(StoreError::SequenceExhausted { .. }) => json!("sequence_exhausted"),
            Err(error) => panic!("{error}"),
        };
        differ(faults, "next number", &found, expected);
    }
}

impl Expected {
    /// The members of a class: none unless listed, `None` where the rules leave it open.
    fn class(&self, class: &str) -> Option<Vec<i64>> {
        self.classes
            .get(class)
            .cloned()
            .unwrap_or_else(|| Some(Vec::new()))
    }
}

impl Resend {
    fn request(&self) -> Sent<'_> {
        Sent {
            bot: &self.bot,
            request_id: &self.request_id,
            words: self.words.as_bytes(),
            workspace: self.workspace.as_deref(),
            model: self.model.as_deref(),
            effort: self.effort.as_deref(),
            delivery: &self.delivery,
            expected_turn: self.expected_turn,
            sender: From {
                bot: self.from_bot.as_deref(),
                ..From::default()
            },
            ..Sent::default()
        }
    }
}
