//! Rows without sense: what is explained is what is done.

use proptest::prelude::*;

use super::*;

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
