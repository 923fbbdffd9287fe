//! The typed rows are the rows of the schemas, column by column.

use rex_store::daemon::{
    self, Approval, Artifact, Bot, Event, Event90, Message, MessageStatus, Node, Process, RunStatus, Sender,
    Status90, Text, Tool, Turn, Turn90,
};
use rex_store::error::StoreError;
use rusqlite::Connection;

fn store(create: fn(&Connection) -> Result<(), StoreError>) -> Connection {
    let store = Connection::open_in_memory().unwrap();
    store.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    create(&store).unwrap();
    store
}

fn columns(store: &Connection, table: &str) -> Vec<String> {
    let mut statement = store
        .prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")
        .unwrap();
    let names = statement.query_map([table], |row| row.get(0)).unwrap();
    names.map(Result::unwrap).collect()
}

#[test]
fn every_row_has_the_columns_of_its_table() {
    let (old, new) = (store(daemon::create_90), store(daemon::create_91));
    let rows = [
        (&old, Turn90::TABLE, Turn90::COLUMNS),
        (&old, Event90::TABLE, Event90::COLUMNS),
        (&new, Turn::TABLE, Turn::COLUMNS),
        (&new, Message::TABLE, Message::COLUMNS),
        (&new, Event::TABLE, Event::COLUMNS),
        (&new, Bot::TABLE, Bot::COLUMNS),
        (&new, Node::TABLE, Node::COLUMNS),
        (&new, Sender::TABLE, Sender::COLUMNS),
        (&new, Tool::TABLE, Tool::COLUMNS),
        (&new, Process::TABLE, Process::COLUMNS),
        (&new, Artifact::TABLE, Artifact::COLUMNS),
        (&new, Approval::TABLE, Approval::COLUMNS),
    ];
    for (store, table, expected) in rows {
        assert_eq!(columns(store, table), expected, "{table}");
    }
}

#[test]
fn a_row_is_found_by_its_key_with_its_bytes() {
    let old = store(daemon::create_90);
    let rows = "INSERT INTO turns(id, bot, request_id, prompt, status) VALUES (7, 'Bob', 'r', CAST(x'ff' AS TEXT), 'queued');
        INSERT INTO nodes(id, item, total_bytes, depth) VALUES (1, 'text', 4, 1), (2, x'00', 1, 1), (3, 5, 1, 1);";
    old.execute_batch(rows).unwrap();
    let turn = Turn90::find(&old, 7).unwrap().unwrap();
    assert_eq!(
        (turn.prompt.as_bytes(), turn.prompt.to_str()),
        (&b"\xff"[..], None)
    );
    assert_eq!(
        turn.status.to_str().and_then(Status90::parse),
        Some(Status90::Queued)
    );
    assert_eq!((turn.bot, turn.started_ms), (Text::from("Bob"), None));
    assert_eq!(Turn90::find(&old, 8).unwrap(), None);
    assert_eq!(Node::find(&old, 1).unwrap().unwrap().item.0, b"text");
    assert_eq!(Node::find(&old, 2).unwrap().unwrap().item.0, b"\0");
    let refused = Node::find(&old, 3).unwrap_err();
    assert!(
        matches!(
            refused,
            StoreError::Value {
                table: "nodes",
                column: "item",
                found: "INTEGER"
            }
        ),
        "{refused}"
    );
}

#[test]
fn the_words_of_91_are_those_that_its_schema_allows() {
    let new = store(daemon::create_91);
    let (messages, runs) = (
        ["queued", "attached", "ready", "taken", "withdrawn", "failed"],
        [
            "running",
            "waiting",
            "paced",
            "completed",
            "failed",
            "interrupted",
        ],
    );
    for (number, word) in messages.into_iter().enumerate() {
        let row = (number as i64, word);
        new.execute(
            "INSERT INTO messages(number, bot, request_id, words, status) VALUES (?1, 'b', ?1, '', ?2)",
            row,
        )
        .unwrap();
        let status = Message::find(&new, number as i64).unwrap().unwrap().status;
        assert_eq!(
            (status.as_str(), MessageStatus::parse(word)),
            (word, Some(status))
        );
    }
    for (id, word) in runs.into_iter().enumerate() {
        new.execute(
            "INSERT INTO turns(id, bot, status) VALUES (?1, 'b', ?2)",
            (id as i64, word),
        )
        .unwrap();
        let status = Turn::find(&new, id as i64).unwrap().unwrap().status;
        assert_eq!((status.as_str(), RunStatus::parse(word)), (word, Some(status)));
    }
    assert!(MessageStatus::parse("Taken").is_none());
}
