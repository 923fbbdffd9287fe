//! Each rule of the split on small stores, their expected results written out.

use rex_store::daemon;
use rex_store::schema::Schema;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::*;
use crate::explain::{self, Members};
use crate::progress::Silent;
use crate::step::Options;

mod attribution;
mod rows;
mod scramble;
mod surroundings;

const BOTS: &str = "
    INSERT INTO store VALUES (1, 7); INSERT INTO event_retention VALUES (1, 0);
    INSERT INTO turn_sequence VALUES (1, 100); INSERT INTO node_sequence VALUES (1, 100);
    INSERT INTO bot_sequence VALUES (1, 2);
    INSERT INTO bots(name, id, status, provider, family, model, instructions, tools)
    VALUES ('B', 1, 'idle', 'p', 'f', 'm', '', '[]'), ('C', 2, 'idle', 'p', 'f', 'm', '', '[]');";

fn store(rows: &str) -> Connection {
    fill(Connection::open_in_memory().unwrap(), rows)
}

fn fill(connection: Connection, rows: &str) -> Connection {
    daemon::create_90(&connection).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    connection.execute_batch(BOTS).unwrap();
    connection.execute_batch(rows).unwrap();
    connection
}

/// Two runs of B with a prompt node each: 1 from 100 to 200, 5 from 300 to 400.
const RUNS: &str = "
    INSERT INTO nodes VALUES (10, NULL, '{\"role\":\"user\",\"content\":\"one\"}', 0, 0, 1, 1),
        (11, 10, '{\"role\":\"assistant\",\"content\":\"x\"}', 0, 1, NULL, NULL),
        (20, 11, '{\"role\":\"user\",\"content\":\"five\"}', 0, 2, 5, 2);
    INSERT INTO turns(id, bot, request_id, prompt, status, started_ms, finished_ms)
    VALUES (1, 'B', 'r1', 'one', 'completed', 100, 200), (5, 'B', 'r5', 'five', 'completed', 300, 400);";

fn steer(number: i64, words: &str, taken_ms: i64, more: &str) -> String {
    let more = if more.is_empty() {
        String::new()
    } else {
        format!("UPDATE turns SET {more} WHERE id = {number};")
    };
    format!(
        "INSERT INTO turns(id, bot, request_id, prompt, status, delivery, finished_ms)
         VALUES ({number}, 'B', 'r{number}', '{words}', 'steered', 'steer', {taken_ms}); {more}"
    )
}

fn event(turn: i64, kind: &str, data: &str) -> String {
    format!("INSERT INTO events(bot, turn, kind, data) VALUES ('B', {turn}, '{kind}', '{data}');")
}

fn user(node: i64, parent: i64, words: &str) -> String {
    format!(
        "INSERT INTO nodes VALUES ({node}, {parent}, '{{\"role\":\"user\",\"content\":\"{words}\"}}', 0, 0, NULL, NULL);"
    )
}

/// Splits a store and checks what holds of every split.
fn split_store(connection: &Connection) -> Value {
    assert_eq!(look(connection, &Options::default()).unwrap(), []);
    let before = facts(connection, true);
    let classes = classes(connection);
    connection.execute_batch("BEGIN").unwrap();
    let work = Work {
        connection,
        options: &Options::default(),
        progress: &Silent,
        now: jiff::Timestamp::UNIX_EPOCH,
    };
    let report = Value::Object(apply(&work).unwrap().report);
    connection.execute_batch("COMMIT").unwrap();
    assert_eq!(facts(connection, false), before, "what must be conserved is not");
    let fresh = carry::empty(daemon::create_91).unwrap();
    let differences = Schema::read(connection)
        .unwrap()
        .differences(&Schema::read(&fresh).unwrap());
    assert_eq!(differences, []);
    for query in [
        "PRAGMA foreign_key_check",
        "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
    ] {
        let bad = connection
            .prepare(query)
            .unwrap()
            .query([])
            .unwrap()
            .next()
            .unwrap()
            .is_some();
        assert!(!bad, "{query}");
    }
    adds_up(connection, &report, &classes);
    report
}

fn facts(connection: &Connection, is_before: bool) -> Vec<rex_store::digest::TableDigest> {
    conserve::register(connection).unwrap();
    let sides = conserve::FACTS
        .iter()
        .map(|fact| if is_before { fact.before } else { fact.after });
    sides
        .map(|sql| rex_store::digest::query(connection, sql).unwrap())
        .collect()
}

fn classes(connection: &Connection) -> Vec<(&'static str, Members)> {
    let names = report::RULES.into_iter().chain(report::OTHERS);
    names
        .map(|name| (name, explain::class(connection, name).unwrap()))
        .collect()
}

fn adds_up(connection: &Connection, report: &Value, classes_before: &[(&str, Members)]) {
    let attribution = &report["attribution"];
    assert_eq!(attribution["read"], attribution["written"]);
    let rules: i64 = attribution["by_rule"]
        .as_object()
        .unwrap()
        .values()
        .filter_map(Value::as_i64)
        .sum();
    let taken: i64 = connection
        .query_row(
            "SELECT count(*) FROM messages WHERE status = 'taken'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(rules, taken);
    let by_rule = &attribution["by_rule"];
    for (name, members) in classes_before {
        let Members::Numbers(members) = members else {
            panic!("{name} is gone")
        };
        let count = if by_rule[name].is_null() {
            &attribution[name]
        } else {
            &by_rule[name]
        };
        assert_eq!(count, members.len(), "{name}");
        assert_eq!(
            report["first"][name],
            json!(members[..members.len().min(20)]),
            "{name}"
        );
        match explain::class(connection, name).unwrap() {
            Members::Gone => assert_eq!(*name, "dead_handles"),
            Members::Numbers(_) if *name == "unreadable_payloads" => {}
            after => assert_eq!(after, Members::Numbers(members.clone()), "{name} at 91"),
        }
    }
}

/// Run and node of a message after the split, with the rules that explain them before and after.
fn found(rows: &str, number: i64) -> (Option<i64>, Option<i64>, String, String) {
    let connection = store(rows);
    let before = explain::message(&connection, "B", number).unwrap().unwrap();
    split_store(&connection);
    let stored = connection
        .query_row(
            "SELECT turn, node FROM messages WHERE number = ?1",
            [number],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    assert_eq!(
        (before.turn, before.node),
        stored,
        "explained before as it was done"
    );
    let after = explain::message(&connection, "B", number).unwrap().unwrap();
    assert_eq!(
        (after.turn_rule, after.node_rule, after.why_not),
        (before.turn_rule.clone(), before.node_rule.clone(), before.why_not)
    );
    assert_eq!((after.turn, after.node), stored);
    (stored.0, stored.1, before.turn_rule, before.node_rule)
}
