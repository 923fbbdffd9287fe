//! Each rule of the split on small stores, their expected results written out.

use proptest::prelude::*;
use rex_store::daemon;
use rex_store::schema::Schema;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::*;
use crate::explain::{self, Members};
use crate::progress::Silent;
use crate::step::Options;

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

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn the_first_kind_of_evidence_that_answers_wins() {
    let by_clock = 150;
    let nowhere = 250;
    let steered = |run, node: &str| event(run, "steered", &format!("{{\"steer\":3,\"node\":{node}}}"));
    let finished =
        |run: &str, node: &str| event(3, "turn_finished", &format!("{{\"into\":{run},\"node\":{node}}}"));
    let words = user(15, 10, "hey");
    let cases = [
        ("own", RUNS.to_owned(), (Some(1), Some(10), "own", "own")),
        (
            "a",
            [RUNS, &words, &steer(3, "hey", nowhere, ""), &steered(1, "15")].concat(),
            (Some(1), Some(15), "a", "event"),
        ),
        (
            "b",
            [RUNS, &words, &steer(3, "hey", nowhere, ""), &finished("1", "15")].concat(),
            (Some(1), Some(15), "b", "event"),
        ),
        (
            "two events, one run",
            [
                RUNS,
                &words,
                &steer(3, "no", 150, ""),
                &steered(1, "15"),
                &steered(1, "15"),
            ]
            .concat(),
            (Some(1), Some(15), "a", "event"),
        ),
        (
            "an event of a later run does not fit",
            [RUNS, &steer(3, "hey", by_clock, ""), &steered(5, "15")].concat(),
            (Some(1), None, "d", "none"),
        ),
        (
            "a run that is none",
            [RUNS, &steer(3, "hey", nowhere, ""), &finished("2", "15")].concat(),
            (None, None, "none", "none"),
        ),
        (
            "text is no number",
            [
                RUNS,
                &words,
                &steer(3, "hey", nowhere, ""),
                &finished("\"1\"", "15"),
            ]
            .concat(),
            (None, None, "none", "none"),
        ),
        (
            "a node that is marked",
            [RUNS, &steer(3, "hey", nowhere, ""), &steered(1, "10")].concat(),
            (Some(1), None, "a", "none"),
        ),
        (
            "the other kind gives the node",
            [
                RUNS,
                &words,
                &steer(3, "no", 150, ""),
                &steered(1, "null"),
                &finished("1", "15"),
            ]
            .concat(),
            (Some(1), Some(15), "a", "event"),
        ),
        (
            "two nodes of one kind",
            [
                RUNS,
                &words,
                &user(16, 15, "no"),
                &steer(3, "so", 150, ""),
                &steered(1, "15"),
                &steered(1, "16"),
            ]
            .concat(),
            (Some(1), None, "a", "none"),
        ),
        (
            "c",
            [
                RUNS,
                &user(15, 11, "long"),
                &steer(3, "", 150, "prompt_node = 15"),
            ]
            .concat(),
            (Some(1), Some(15), "c", "prompt_node"),
        ),
        (
            "c, but not then",
            [
                RUNS,
                &user(15, 11, "long"),
                &steer(3, "", nowhere, "prompt_node = 15"),
            ]
            .concat(),
            (None, Some(15), "none", "prompt_node"),
        ),
        (
            "d",
            [RUNS, &words, &steer(3, "hey", by_clock, "")].concat(),
            (Some(1), Some(15), "d", "words"),
        ),
        (
            "at the end",
            [RUNS, &steer(3, "hey", 200, "")].concat(),
            (Some(1), None, "d", "none"),
        ),
        (
            "strict, and another",
            [RUNS, &steer(3, "hey", by_clock, "expected_turn = 5")].concat(),
            (None, None, "none", "none"),
        ),
        (
            "attached",
            [RUNS, &steer(3, "hey", 300, "delivery = 'attach'")].concat(),
            (Some(5), None, "d", "none"),
        ),
        (
            "attached to an earlier one",
            [RUNS, &steer(3, "hey", 150, "delivery = 'attach'")].concat(),
            (None, None, "none", "none"),
        ),
    ];
    for (name, rows, (turn, node, turn_rule, node_rule)) in cases {
        let number = if name == "own" { 1 } else { 3 };
        assert_eq!(
            found(&rows, number),
            (turn, node, turn_rule.to_owned(), node_rule.to_owned()),
            "{name}"
        );
    }
}

#[test]
fn a_conflict_within_one_kind_ends_the_search() {
    let more = "INSERT INTO turns(id, bot, request_id, prompt, status, started_ms, finished_ms)
        VALUES (2, 'B', 'r2', 'two', 'completed', 210, 220);";
    let rows = [
        RUNS,
        more,
        &steer(3, "hey", 150, ""),
        &event(1, "steered", "{\"steer\":3,\"node\":99}"),
        &event(2, "steered", "{\"steer\":3,\"node\":99}"),
        &event(3, "turn_finished", "{\"into\":1}"),
    ]
    .concat();
    assert_eq!(
        found(&rows, 3),
        (None, None, "none".to_owned(), "none".to_owned())
    );
    let report = split_store(&store(&rows));
    assert_eq!(report["first"]["disagreements"], json!([3]));
    assert_eq!(report["first"]["unreadable_payloads"], json!([3]));
}

#[test]
fn a_bot_whose_clock_is_not_sound_names_no_run() {
    let out_of_bounds = [
        RUNS,
        &steer(3, "hey", 150, ""),
        &steer(4, "you", 250, ""),
        &event(1, "steered", "{\"steer\":4,\"node\":99}"),
    ]
    .concat();
    let report = split_store(&store(&out_of_bounds));
    assert_eq!(report["first"]["clock_unsafe_bots"], json!([1]));
    assert_eq!(report["first"]["e"], json!([3]));
    assert_eq!(report["first"]["a"], json!([4]));
}

#[test]
fn words_name_a_node_only_if_they_are_unique_on_both_sides() {
    let cases = [
        ("one of each", "hey", Some((3, 15))),
        ("two items", "hey", None),
        ("two messages", "hey", None),
        ("the opening prompt is not in it", "one", Some((3, 15))),
        ("behind the next run's node", "hey", None),
    ];
    for (name, words, expected) in cases {
        let mut rows = [
            RUNS,
            &steer(3, words, 150, ""),
            &user(15, if name.starts_with("behind") { 20 } else { 11 }, words),
        ]
        .concat();
        match name {
            "two items" => rows.push_str(&user(16, 15, words)),
            "two messages" => rows.push_str(&steer(4, words, 150, "")),
            _ => {}
        }
        let connection = store(&rows);
        split_store(&connection);
        let found: Vec<(i64, i64)> = connection
            .prepare("SELECT number, node FROM messages WHERE node IS NOT NULL AND turn <> number")
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(found, Vec::from_iter(expected), "{name}");
    }
}

#[test]
fn a_node_that_two_messages_claim_goes_to_the_stronger_claim() {
    let both = |second: &str| {
        [
            RUNS,
            &user(15, 11, "x"),
            &steer(3, "a", 150, ""),
            &steer(4, "b", 150, ""),
            &event(1, "steered", "{\"steer\":3,\"node\":15}"),
            second,
        ]
        .concat()
    };
    let tied = split_store(&store(&both(&event(1, "steered", "{\"steer\":4,\"node\":15}"))));
    assert_eq!(tied["first"]["without_node"], json!([3, 4]));
    let weaker = split_store(&store(&both("UPDATE turns SET prompt_node = 15 WHERE id = 4;")));
    assert_eq!(weaker["first"]["without_node"], json!([4]));
}

#[test]
fn a_loop_of_parents_ends() {
    let rows = [
        RUNS,
        &steer(3, "", 250, "prompt_node = 50"),
        &user(50, 51, "x"),
        &user(51, 52, "y"),
        &user(52, 51, "z"),
        "UPDATE nodes SET parent = 11 WHERE id = 10;",
        &steer(4, "w", 150, ""),
    ]
    .concat();
    assert_eq!(
        found(&rows, 3),
        (None, Some(50), "none".to_owned(), "prompt_node".to_owned())
    );
}

#[test]
fn a_lineage_of_a_hundred_thousand_nodes_is_walked_without_recursion() {
    let deep = "INSERT INTO nodes SELECT value, iif(value = 1000, 10, value - 1), x'7b7d', 0, 0, NULL, NULL
        FROM generate_series(1000, 101000);";
    let deep = deep.replace(
        "generate_series(1000, 101000)",
        "(WITH RECURSIVE c(value) AS (SELECT 1000 UNION ALL SELECT value + 1 FROM c WHERE value < 101000) SELECT value FROM c)",
    );
    let rows = [RUNS, &deep, &steer(3, "", 150, "prompt_node = 101000")].concat();
    assert_eq!(
        found(&rows, 3),
        (Some(1), Some(101_000), "c".to_owned(), "prompt_node".to_owned())
    );
}

#[test]
fn events_are_filed_under_run_and_message() {
    let rows = [
        RUNS,
        &steer(3, "hey", 150, ""),
        "INSERT INTO turns(id, bot, request_id, prompt, status, finished_ms) VALUES (4, 'B', 'r4', 'x', 'interrupted', 9);",
        &event(1, "queued", "{}"),
        &event(1, "accepted", "{}"),
        &event(1, "steered", "{\"steer\":3,\"node\":99}"),
        &event(1, "steered", "{\"steer\":77,\"node\":99}"),
        &event(1, "steered", "nonsense"),
        &event(3, "turn_finished", "{\"into\":1,\"node\":99}"),
        &event(4, "turn_finished", "{\"status\":\"interrupted\"}"),
        &event(88, "queued", "{}"),
        "INSERT INTO events(bot, turn, kind, data) VALUES ('B', NULL, 'created', '{}');",
    ]
    .concat();
    let connection = store(&rows);
    let report = split_store(&connection);
    let filed: Vec<(Option<i64>, Option<i64>)> = connection
        .prepare("SELECT turn, message FROM events ORDER BY id")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let expected = [
        (None, Some(1)),
        (Some(1), None),
        (Some(1), Some(3)),
        (Some(1), None),
        (Some(1), None),
        (None, Some(3)),
        (None, Some(4)),
        (Some(88), None),
        (None, None),
    ];
    assert_eq!(filed, expected);
    assert_eq!(report["first"]["disagreements"], json!([1, 3]));
    assert_eq!(report["first"]["unreadable_payloads"], json!([1]));
    let last: i64 = connection
        .query_row("SELECT last_id FROM message_sequence", [], |row| row.get(0))
        .unwrap();
    assert_eq!(last, 100);
}

#[test]
fn statuses_and_times_follow_the_row_alone() {
    let rows = "
        INSERT INTO turns(id, bot, request_id, prompt, status, started_ms, finished_ms) VALUES
            (1, 'B', 'r1', '', 'running', 5, NULL), (2, 'B', 'r2', '', 'failed', 1, 2), (3, 'B', 'r3', '', 'failed', NULL, 3),
            (4, 'B', 'r4', '', 'interrupted', 1, 4), (5, 'B', 'r5', '', 'interrupted', NULL, 5), (6, 'B', 'r6', '', 'steered', NULL, 6),
            (7, 'B', 'r7', '', 'queued', NULL, NULL), (8, 'B', 'r8', '', 'attached', NULL, 8), (9, 'B', 'r9', '', 'ready', NULL, NULL),
            (10, 'B', 'r10', '', 'failed', NULL, 10);
        INSERT INTO nodes VALUES (30, NULL, '', 0, 0, 10, 1);";
    let connection = store(rows);
    split_store(&connection);
    let found: Vec<String> = connection
        .prepare("SELECT number || ' ' || status || ' ' || coalesce(turn, '-') || ' ' || coalesce(taken_ms, '-') || ' ' || coalesce(ended_ms, '-') FROM messages")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let expected = [
        "1 taken 1 5 -",
        "2 taken 2 1 -",
        "3 failed - - 3",
        "4 taken 4 1 -",
        "5 withdrawn - - 5",
        "6 taken - 6 -",
        "7 queued - - -",
        "8 attached - - 8",
        "9 ready - - -",
        "10 taken 10 - -",
    ];
    assert_eq!(found, expected);
}

#[test]
fn rows_that_contradict_their_status_are_refused() {
    let row = |more: &str| format!("INSERT INTO turns(id, bot, request_id, prompt, {more});");
    let cases = [
        (
            row("status) VALUES (1, 'B', 'r', '', 'dreaming'"),
            "does not know",
        ),
        (
            row("status, started_ms) VALUES (1, 'B', 'r', '', 'queued', 4"),
            "all the same",
        ),
        (
            row("status) VALUES (1, 'B', 'r', '', 'steered'")
                + "INSERT INTO nodes VALUES (9, NULL, '', 0, 0, 1, 1);",
            "all the same",
        ),
        (row("status) VALUES (1, 'B', 'r', '', 'completed'"), "neither"),
        (
            row("status, retries) VALUES (1, 'B', 'r', '', 'failed', 1"),
            "never run",
        ),
        (
            row("status, waiting) VALUES (1, 'B', 'r', '', 'queued', '{}'"),
            "never run",
        ),
        (
            row("status) VALUES (1, 'B', 'r', '', 'failed'")
                + "INSERT INTO tools VALUES (1, 'c', 'planned');",
            "never run",
        ),
    ];
    for (rows, cause) in cases {
        let refusals = look(&store(&rows), &Options::default()).unwrap();
        assert_eq!(refusals.len(), 1, "{rows}");
        assert!(
            refusals[0].cause.contains(cause) && refusals[0].cause.ends_with(": 1"),
            "{}",
            refusals[0].cause
        );
    }
    let many = (1..=30).fold(String::new(), |rows, n| {
        rows + &row(&format!("status) VALUES ({n}, 'B', 'r{n}', '', 'x'"))
    });
    let refusals = look(&store(&many), &Options::default()).unwrap();
    assert!(
        refusals[0].cause.starts_with("30 rows") && refusals[0].cause.ends_with(" 20 and 10 more"),
        "{}",
        refusals[0].cause
    );
}

#[test]
fn waits_and_quotes_are_respelled_and_what_cannot_be_is_reported() {
    let rows = r#"
        INSERT INTO turns(id, bot, request_id, prompt, status, started_ms, waiting, quotes) VALUES
            (1, 'B', 'r1', '', 'waiting', 1, '{"handles":["turn:C/9","Bob/1"]}', '[{"bot":"C","turn":9}]'),
            (2, 'C', 'r2', '', 'waiting', 1, 'not json', 'neither');"#;
    let connection = store(rows);
    let report = split_store(&connection);
    let texts: (String, String) = connection
        .query_row(
            "SELECT waiting, quotes FROM turns JOIN messages ON number = id WHERE id = 1",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    assert_eq!(
        texts,
        (
            r#"{"handles":["C/9","Bob/1"]}"#.to_owned(),
            r#"[{"bot":"C","message":9}]"#.to_owned()
        )
    );
    assert_eq!(report["first"]["dead_handles"], json!([1]));
    assert_eq!(report["first"]["unreadable_payloads"], json!([2]));
}

#[test]
fn the_sequence_has_passed_every_number_that_could_have_been_given() {
    let cases = [
        ("", 100),
        ("DELETE FROM turn_sequence;", 5),
        (
            "DELETE FROM turn_sequence; UPDATE turns SET from_turn = 70, expected_turn = 9223372036854775807;",
            70,
        ),
        ("INSERT INTO senders VALUES (10, 'B', 1, 400, NULL);", 400),
        (
            "INSERT INTO events(bot, turn, kind, data) VALUES ('B', 500, 'x', '{}');",
            500,
        ),
        ("INSERT INTO nodes VALUES (40, NULL, '', 0, 0, 600, 1);", 600),
        (
            "UPDATE turns SET id = 9223372036854775807 WHERE id = 5; UPDATE nodes SET turn = 9223372036854775807 WHERE turn = 5;",
            i64::MAX,
        ),
    ];
    for (rows, expected) in cases {
        let connection = store(&[RUNS, rows].concat());
        split_store(&connection);
        let last: i64 = connection
            .query_row("SELECT last_id FROM message_sequence", [], |row| row.get(0))
            .unwrap();
        assert_eq!(last, expected, "{rows}");
    }
}

#[test]
fn unknown_things_are_carried_where_they_can_be() {
    let options = Options { keep_unknown: true };
    let connection = store(
        "ALTER TABLE turns ADD COLUMN mood TEXT DEFAULT 'calm' COLLATE NOCASE;
         ALTER TABLE bots ADD COLUMN colour TEXT;
         CREATE TABLE ours(a); CREATE TRIGGER noisy AFTER UPDATE ON events BEGIN INSERT INTO ours VALUES (new.id); END;
         INSERT INTO turns(id, bot, request_id, prompt, status, mood) VALUES (1, 'B', 'r', '', 'queued', 'gay');
         INSERT INTO events(bot, turn, kind, data) VALUES ('B', 1, 'queued', '{}');",
    );
    assert_eq!(look(&connection, &options).unwrap(), []);
    connection.execute_batch("BEGIN").unwrap();
    apply(&Work {
        connection: &connection,
        options: &options,
        progress: &Silent,
    })
    .unwrap();
    connection.execute_batch("COMMIT").unwrap();
    let mood: String = connection
        .query_row("SELECT mood FROM messages", [], |row| row.get(0))
        .unwrap();
    assert_eq!(mood, "gay");
    let ours: i64 = connection
        .query_row("SELECT count(*) FROM ours", [], |row| row.get(0))
        .unwrap();
    assert_eq!(ours, 0, "a trigger ran during the split");
    let sql: String = connection
        .query_row(
            "SELECT sql FROM sqlite_schema WHERE name = 'messages'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert!(sql.contains("mood TEXT DEFAULT 'calm' COLLATE NOCASE"), "{sql}");
}

#[test]
fn unknown_things_on_replaced_tables_are_refused_by_name() {
    let cases = [
        ("CREATE INDEX mine ON turns(status);", "mine"),
        (
            "CREATE TRIGGER mine AFTER INSERT ON turns BEGIN SELECT 1; END;",
            "mine",
        ),
        ("CREATE VIEW mine AS SELECT * FROM turns;", "mine"),
        (
            "CREATE TRIGGER mine AFTER INSERT ON bots BEGIN DELETE FROM turns; END;",
            "mine",
        ),
        ("CREATE TABLE messages(a);", "messages"),
        ("CREATE INDEX events_message ON events(kind);", "events_message"),
    ];
    for (rows, name) in cases {
        let refusals = look(&store(rows), &Options { keep_unknown: true }).unwrap();
        assert_eq!(refusals.len(), 1, "{rows}");
        assert!(refusals[0].cause.contains(name), "{}", refusals[0].cause);
    }
    let carried = "CREATE INDEX mine ON bots(status); CREATE VIEW seen AS SELECT name FROM bots;";
    assert_eq!(
        look(&store(carried), &Options { keep_unknown: true }).unwrap(),
        []
    );
}

#[test]
fn pages_that_are_taken_over_keep_their_owners_where_roots_move() {
    for mode in ["FULL", "INCREMENTAL"] {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(&format!("PRAGMA auto_vacuum = {mode}"))
            .unwrap();
        let many = (6..600).fold(String::new(), |rows, number| {
            rows + &steer(number, &"long ".repeat(900), 350, "")
        });
        split_store(&fill(connection, &[RUNS, &many].concat()));
    }
}

#[test]
fn a_damaged_index_is_not_taken_over() {
    let connection = store(RUNS);
    adopt::exchange(&connection, &[("turns_bot_id", "turns_steers")]).unwrap();
    connection.execute_batch("BEGIN").unwrap();
    let failed = apply(&Work {
        connection: &connection,
        options: &Options::default(),
        progress: &Silent,
    });
    assert_eq!(
        failed.unwrap_err().to_string(),
        "index messages_bot has 0 entries for 2 rows"
    );
}

#[test]
fn many_passes_find_what_one_pass_finds() {
    let bots = (3..43).fold(String::new(), |rows, bot| {
        let runs = (0..20).fold(String::new(), |rows, n| {
            let number = 1000 * bot + 10 * n;
            rows + &format!(
                "INSERT INTO turns(id, bot, request_id, prompt, status, started_ms, finished_ms)
                     VALUES ({number}, 'bot{bot}', 'r{number}', '', 'completed', {number}, {number} + 9);
                 INSERT INTO turns(id, bot, request_id, prompt, status, finished_ms)
                     VALUES ({number} + 1, 'bot{bot}', 's{number}', 'x', 'steered', {number} + 5);"
            )
        });
        rows + &format!(
            "INSERT INTO bots(name, id, status, provider, family, model, instructions, tools)
             VALUES ('bot{bot}', {bot}, 'idle', 'p', 'f', 'm', '', '[]'); {runs}"
        )
    });
    let connection = store(&bots);
    let report = split_store(&connection);
    assert_eq!(
        report["attribution"]["by_rule"],
        json!({"own": 800, "a": 0, "b": 0, "c": 0, "d": 800, "e": 0})
    );
    let right: i64 = connection
        .query_row(
            "SELECT count(*) FROM messages WHERE turn = number / 10 * 10",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(right, 1600);
}

/// One row of `turns`: what it is, its bot, two times, a node for its words, an expected run.
type Old = (u8, bool, i64, i64, Option<i64>, Option<i64>);

fn old_row(number: i64, (kind, is_other, early, late, node, expected): Old) -> String {
    let bot = if is_other { 'C' } else { 'B' };
    let (early, late) = (early.min(late), early.max(late));
    let (status, started, finished, delivery) = match kind {
        0..3 => (
            "completed",
            Some(100 * number + early),
            Some(100 * number + late),
            "queue",
        ),
        3 => ("failed", Some(early * 100), None, "queue"),
        4..7 => ("steered", None, Some(late * 100), "steer"),
        7 => ("steered", None, Some(late * 100), "attach"),
        8 => ("queued", None, None, "queue"),
        _ => ("interrupted", None, Some(late), "queue"),
    };
    let cell = |number: Option<i64>| number.map_or_else(|| "NULL".to_owned(), |number| number.to_string());
    format!(
        "INSERT INTO turns(id, bot, request_id, prompt, prompt_node, status, delivery, expected_turn, started_ms, finished_ms)
         VALUES ({number}, '{bot}', 'r{number}', '{}', {}, '{status}', '{delivery}', {}, {}, {});",
        if late % 2 == 0 { "go on" } else { "" },
        cell(node), cell(expected), cell(started), cell(finished),
    )
}

fn scramble() -> impl Strategy<Value = String> {
    let node = prop::option::weighted(0.3, 1..12_i64);
    let rows = prop::collection::vec(
        (
            0..10_u8,
            any::<bool>(),
            0..12_i64,
            0..12_i64,
            node,
            prop::option::weighted(0.1, 1..12_i64),
        ),
        1..12,
    );
    let nodes = prop::collection::vec((prop::option::of(1..12_i64), any::<bool>(), any::<bool>()), 11);
    let events = prop::collection::vec((any::<bool>(), 1..13_i64, -1..13_i64, 0..14_i64), 0..12);
    (rows, nodes, events).prop_map(|(rows, nodes, events)| {
        let mut sql = String::new();
        let mut runs: Vec<i64> = Vec::new();
        for (number, row) in (1..).zip(rows) {
            if row.0 < 4 {
                runs.push(number);
            }
            sql += &old_row(number, row);
        }
        for (id, (parent, is_first, is_short)) in (1..).zip(nodes) {
            let mark = if is_first { runs.pop() } else { None };
            let words = if is_short { "go on" } else { "" };
            let cell =
                |number: Option<i64>| number.map_or_else(|| "NULL".to_owned(), |number| number.to_string());
            let item = format!("{{\"role\":\"user\",\"content\":\"{words}\"}}");
            let (parent, mark) = (cell(parent), cell(mark));
            let row = format!("INSERT INTO nodes VALUES ({id}, {parent}, '{item}', 0, 0, {mark}, NULL);");
            sql += &row;
        }
        for (is_steered, turn, other, node) in events {
            let other = if other < 0 {
                "\"x\"".to_owned()
            } else {
                other.to_string()
            };
            let (kind, key) = if is_steered {
                ("steered", "steer")
            } else {
                ("turn_finished", "into")
            };
            sql += &event(turn, kind, &format!("{{\"{key}\":{other},\"node\":{node}}}"));
        }
        sql
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_rows_say_the_explanation_is_what_is_done(rows in scramble()) {
        let connection = store(&rows);
        prop_assume!(look(&connection, &Options::default()).unwrap().is_empty());
        let explain_all = || -> Vec<_> {
            let names = (1..12).flat_map(|number| [("B", number), ("C", number)]);
            names.filter_map(|(bot, number)| explain::message(&connection, bot, number).unwrap()).collect()
        };
        let before = explain_all();
        split_store(&connection);
        for (before, after) in before.iter().zip(explain_all()) {
            let stored = connection
                .query_row("SELECT turn, node, status FROM messages WHERE number = ?1", [before.message.number], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
                })
                .unwrap();
            prop_assert_eq!(&(before.turn, before.node, before.status.clone()), &stored);
            prop_assert_eq!(&before.turn_rule, &after.turn_rule);
            prop_assert_eq!(&before.node_rule, &after.node_rule);
            prop_assert_eq!(&before.why_not, &after.why_not);
            prop_assert_eq!(before.evidence.len(), after.evidence.len());
        }
    }
}
