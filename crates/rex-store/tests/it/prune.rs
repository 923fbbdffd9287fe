//! Retention in batches; what it takes and what it leaves is tried by the fixtures of the upgrade.

use rex_store::daemon::{self, PRUNE_BATCH, Pruned, prune};
use rusqlite::Connection;

#[test]
fn one_call_is_bounded_and_moves_the_cursors() {
    let store = Connection::open_in_memory().unwrap();
    daemon::create_91(&store).unwrap();
    daemon::found(&store, 7).unwrap();
    let many = "INSERT INTO bots(name, id, status, provider, family, model, instructions, tools)
            VALUES ('Bob', 1, 'idle', 'p', 'f', 'm', '', '[]');
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 301)
            INSERT INTO messages(number, bot, request_id, words, status) SELECT i, 'Bob', i, '', 'withdrawn' FROM n;
        INSERT INTO events(bot, message, kind, data) SELECT bot, number, 'queued', '{}' FROM messages;
        INSERT INTO retained_messages SELECT number, bot FROM messages;";
    store.execute_batch(many).unwrap();
    let first = prune(&store, "Bob", 1).unwrap();
    assert_eq!(
        first,
        Pruned {
            messages: PRUNE_BATCH,
            released: PRUNE_BATCH,
            events: PRUNE_BATCH,
            more: true
        }
    );
    let second = prune(&store, "Bob", 1).unwrap();
    assert_eq!(
        second,
        Pruned {
            messages: 44,
            released: 44,
            events: 44,
            more: false
        }
    );
    assert_eq!(prune(&store, "Bob", 1).unwrap(), Pruned::default());
    assert_eq!(prune(&store, "nobody", 0).unwrap(), Pruned::default());
    let cursors = "SELECT b.pruned_cursor, r.pruned_cursor FROM bots b, event_retention r";
    let cursors: (i64, i64) = store.query_row(cursors, [], |row| row.try_into()).unwrap();
    assert_eq!(cursors, (300, 300));
    assert_eq!(prune(&store, "Bob", 0).unwrap().released, 1);
}
