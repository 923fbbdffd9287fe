//! What the generator writes is a store at 90 that a daemon could have left.

use rex_bench::generate::Dice;
use rex_bench::generate::daemon::truth::{Fate, Truth};
use rex_bench::generate::daemon::{self, Mix, shapes};
use rusqlite::Connection;

fn store(mix: &Mix, seed: u64) -> (Connection, Truth) {
    let store = Connection::open_in_memory().expect("SQLite opens");
    let truth = daemon::generate(&store, mix, seed, &mut |_| {}).expect("the model writes");
    (store, truth)
}

fn count(store: &Connection, sql: &str) -> i64 {
    store
        .query_row(sql, [], |row| row.get(0))
        .unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// Each query counts rows that no daemon leaves.
const IMPOSSIBLE: [(&str, &str); 12] = [
    (
        "a key is violated",
        "SELECT count(*) FROM pragma_foreign_key_check",
    ),
    (
        "a run in line",
        "SELECT count(*) FROM turns WHERE started_ms IS NOT NULL AND status IN ('queued','attached','ready','steered')",
    ),
    (
        "a run without its node",
        "SELECT count(*) FROM turns WHERE started_ms IS NOT NULL AND id NOT IN (SELECT turn FROM nodes WHERE turn IS NOT NULL)",
    ),
    (
        "work of a message that never ran",
        "SELECT count(*) FROM tools WHERE turn NOT IN (SELECT turn FROM nodes WHERE turn IS NOT NULL)",
    ),
    (
        "words in a row and in its node alone",
        "SELECT count(*) FROM turns WHERE prompt_node IS NOT NULL AND length(CAST(prompt AS BLOB)) >= 4096",
    ),
    (
        "long words lost",
        "SELECT count(*) FROM turns WHERE prompt = '' AND prompt_node IN (SELECT id FROM nodes WHERE length(item) < 20)",
    ),
    (
        "a head that is gone",
        "SELECT count(*) FROM bots WHERE head NOT IN (SELECT id FROM nodes)",
    ),
    (
        "two ready rows of a bot",
        "SELECT count(*) FROM (SELECT bot FROM turns WHERE status = 'ready' GROUP BY bot HAVING count(*) > 1)",
    ),
    (
        "records that nothing retains",
        "SELECT count(*) FROM tools WHERE turn NOT IN (SELECT turn FROM retained_turns)",
    ),
    (
        "a retained row of nobody",
        "SELECT count(*) FROM retained_turns WHERE turn NOT IN (SELECT id FROM turns)",
    ),
    (
        "a wait that nobody waits for",
        "SELECT count(*) FROM turns WHERE (waiting IS NOT NULL) <> (status = 'waiting')",
    ),
    (
        "a depth that is not its parent's plus one",
        "SELECT count(*) FROM nodes JOIN nodes AS above ON above.id = nodes.parent WHERE nodes.depth <> above.depth + 1 OR nodes.total_bytes <> above.total_bytes + length(nodes.item)",
    ),
];

fn assert_is_possible(store: &Connection, name: &str) {
    for (what, sql) in IMPOSSIBLE {
        assert_eq!(count(store, sql), 0, "{name}: {what}");
    }
    let ok: String = store
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("the check runs");
    assert_eq!(ok, "ok", "{name}");
}

/// The truth says what the rows say wherever the rows say it.
fn assert_truth_agrees(store: &Connection, truth: &Truth, name: &str) {
    let mut rows = store
        .prepare("SELECT turns.id, status, started_ms, nodes.id FROM turns LEFT JOIN nodes ON nodes.turn = turns.id ORDER BY 1")
        .expect("prepares");
    let mut rows = rows.query([]).expect("reads");
    let mut messages = truth.messages.iter();
    while let Some(row) = rows.next().expect("reads") {
        let message = messages.next().expect("the truth knows every row");
        assert_eq!(message.number, row.get::<_, i64>(0).expect("an id"), "{name}");
        let status: String = row.get(1).expect("a status");
        let node: Option<i64> = row.get(3).expect("a node");
        match message.fate {
            Fate::Opened => assert_eq!(message.node, node, "{name}: {message:?}"),
            Fate::Taken => assert_eq!((status.as_str(), node), ("steered", None), "{name}: {message:?}"),
            Fate::Withdrawn => assert_eq!(status, "interrupted", "{name}: {message:?}"),
            Fate::Failed => assert_eq!(status, "failed", "{name}: {message:?}"),
            Fate::InLine => assert!(
                ["queued", "attached", "ready"].contains(&status.as_str()),
                "{name}: {message:?}"
            ),
        }
    }
    assert_eq!(messages.next().map(|message| message.number), None, "{name}");
}

#[test]
fn every_shape_is_a_store_that_a_daemon_could_have_left() {
    for shape in &shapes::ALL {
        let (rows, bots) = if shape.name == "tool-heavy" {
            (30, 5)
        } else {
            (600, (600 * shape.bots / shape.rows).max(4))
        };
        let (store, truth) = store(&(shape.mix)(rows, bots), 5);
        assert_eq!(
            count(&store, "SELECT count(*) FROM turns"),
            rows as i64,
            "{}",
            shape.name
        );
        assert_is_possible(&store, shape.name);
        assert_truth_agrees(&store, &truth, shape.name);
    }
}

#[test]
fn every_random_mix_is_a_store_that_a_daemon_could_have_left() {
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let mix = Mix::random(&mut dice, seed % 5 == 0);
        let (store, truth) = store(&mix, seed);
        assert_eq!(
            count(&store, "SELECT count(*) FROM turns"),
            mix.rows as i64,
            "seed {seed}"
        );
        assert_is_possible(&store, &format!("seed {seed}"));
        assert_truth_agrees(&store, &truth, &format!("seed {seed}"));
    }
}
