//! What stands around the split tables: unknown objects, pages that are taken over, many passes.

use super::*;

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
        now: jiff::Timestamp::UNIX_EPOCH,
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
        now: jiff::Timestamp::UNIX_EPOCH,
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
