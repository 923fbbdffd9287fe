//! Which run and which node a message is given.

use super::*;

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
