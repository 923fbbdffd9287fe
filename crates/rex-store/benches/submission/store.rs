//! Stores of a given number of messages, with every index filled as in a store of that size.

use std::path::Path;

use rex_store::daemon;
use rusqlite::{Connection, OpenFlags};

/// Bots among which the messages are spread.
pub(super) const BOTS: i64 = 40;

/// Writes a store of `messages` finished runs of [`BOTS`] bots, `b0` and on, each idle at the head of its lineage.
pub(super) fn fill(path: &Path, messages: i64) {
    let store = Connection::open_with_flags(path, OpenFlags::default()).expect("the folder is there");
    daemon::create_91(&store).expect("the file is new");
    daemon::found(&store, 7).expect("it has no row yet");
    let item = r#"'{"role":"user","content":[{"type":"text","text":"words of a median message, some hundred bytes of them"}]}'"#;
    // The nodes of a bot are a chain: every BOTS-th number.
    let sql = format!(
        "BEGIN;
        PRAGMA defer_foreign_keys = ON;
        CREATE TEMP TABLE n(i INTEGER PRIMARY KEY);
        WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < {messages}) INSERT INTO n SELECT i FROM k;
        INSERT INTO nodes(id, parent, item, total_bytes, depth, turn, turn_seq)
            SELECT i, CASE WHEN i > {BOTS} THEN i - {BOTS} END, CAST({item} AS BLOB),
                length({item}) * ((i - 1) / {BOTS} + 1), (i - 1) / {BOTS}, i, (i - 1) / {BOTS} + 1 FROM n;
        INSERT INTO bots(name, id, head, status, workspace, provider, family, model, instructions, tools)
            SELECT 'b' || ((i - 1) % {BOTS}), i, {messages} - {BOTS} + i, 'completed', '/srv/home', 'example',
                'responses', 'large-1', '', '[]' FROM n WHERE i <= {BOTS};
        INSERT INTO messages(number, bot, request_id, words, status, turn, node, workspace, model, sent_ms, taken_ms)
            SELECT i, 'b' || ((i - 1) % {BOTS}), 'old-' || i, 'words of a median message, some hundred bytes of them',
                'taken', i, i, '/srv/home', 'large-1', i, i FROM n;
        INSERT INTO turns(id, bot, status, started_ms, finished_ms)
            SELECT i, 'b' || ((i - 1) % {BOTS}), 'completed', i, i FROM n;
        INSERT INTO retained_messages SELECT i, 'b' || ((i - 1) % {BOTS}) FROM n;
        INSERT INTO events(bot, turn, kind, data) SELECT 'b' || ((i - 1) % {BOTS}), i, 'accepted', '{{}}' FROM n;
        INSERT INTO events(bot, turn, kind, data) SELECT 'b' || ((i - 1) % {BOTS}), i, 'turn_finished', '{{}}' FROM n;
        UPDATE message_sequence SET last_id = {messages};
        UPDATE node_sequence SET last_id = {messages};
        UPDATE bot_sequence SET last_id = {BOTS};
        COMMIT;"
    );
    store.execute_batch(&sql).expect("the rows fit the schema");
}
