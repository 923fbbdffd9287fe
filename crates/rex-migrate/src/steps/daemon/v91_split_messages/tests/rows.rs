//! What becomes of events, statuses, waits, quotes and the sequence.

use super::*;

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
