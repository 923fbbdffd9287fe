//! A daemon store at 90 with a row of every table, in at most 64 pages.

use std::path::Path;

use rex_store::daemon;

use crate::toy;

pub(crate) const ROWS: &str = r#"
INSERT INTO nodes(id, parent, item, total_bytes, depth, turn, turn_seq) VALUES
  (1, NULL, '{"type":"message","role":"user","content":[{"type":"input_text","text":"begin"}]}', 80, 1, 1, 1),
  (2, 1, '{"type":"message","role":"user","content":[{"type":"input_text","text":"go on"}]}', 160, 2, NULL, NULL),
  (3, 2, '{"type":"message","role":"assistant","content":"done"}', 240, 3, NULL, NULL);
INSERT INTO bots(name, id, head, status, provider, family, model, instructions, tools, context_start) VALUES
  ('Ada', 1, 3, 'idle', 'p', 'f', 'm', 'help', '[]', 1), ('Bob', 2, NULL, 'idle', 'p', 'f', 'm', 'help', '[]', NULL);
INSERT INTO turns(id, bot, request_id, prompt, status, delivery, started_ms, finished_ms, input_tokens) VALUES
  (1, 'Ada', 'r1', 'begin', 'completed', 'reject', 1000, 2000, 7),
  (2, 'Ada', 'r2', 'go on', 'steered', 'steer', NULL, 1500, 0),
  (3, 'Ada', 'r3', 'later', 'interrupted', 'queue', NULL, 2500, 0),
  (4, 'Bob', 'r4', 'hello', 'ready', 'queue', NULL, NULL, 0);
INSERT INTO turns(id, bot, request_id, prompt, status, delivery, started_ms, waiting) VALUES
  (5, 'Bob', 'r5', 'wait', 'waiting', 'queue', 3000, '{"call_id":"c","handles":["turn:Ada/1","proc:1"],"deadline_ms":1,"any":false}');
INSERT INTO events(bot, turn, kind, data) VALUES
  ('Ada', NULL, 'created', '{}'), ('Ada', 1, 'accepted', '{"node":1}'), ('Ada', 2, 'queued', '{}'),
  ('Ada', 2, 'turn_finished', '{"status":"steered","into":1,"node":2}'), ('Ada', 1, 'steered', '{"steer":2,"node":2}'),
  ('Ada', 1, 'turn_finished', '{"status":"completed"}'), ('Bob', 4, 'queued', '{}');
INSERT INTO retained_turns VALUES (1, 'Ada'), (2, 'Ada'), (3, 'Ada'), (4, 'Bob'), (5, 'Bob');
INSERT INTO senders VALUES (1, 'Bob', 2, 4, NULL);
INSERT INTO tools VALUES (1, 'c', 'completed');
INSERT INTO processes(turn, call_id, status, result) VALUES (1, 'c', 'finished', 'ok');
INSERT INTO artifacts(turn, call_id, stream, data, raw_bytes) VALUES (1, 'c', 'stdout', x'00ff', 2);
INSERT INTO approvals(turn, call_id, name, arguments) VALUES (1, 'c', 'shell', '{}');
INSERT INTO checkpoints VALUES ('Ada', 3);
INSERT INTO deleted_bots VALUES (9, 'Old', 'r');
UPDATE turn_sequence SET last_id = 5;
"#;

pub(crate) fn store(path: &Path, journal_mode: &str) {
    let connection = toy::open(path);
    // A tenth of a store's usual page: the same number of pages holds little, and every page counts.
    connection
        .execute_batch("PRAGMA page_size = 1024; PRAGMA synchronous = OFF;")
        .unwrap();
    connection
        .query_row(&format!("PRAGMA journal_mode = {journal_mode}"), [], |_| Ok(()))
        .unwrap();
    daemon::create_90(&connection).unwrap();
    daemon::found(&connection, 7).unwrap();
    connection.execute_batch(ROWS).unwrap();
}
