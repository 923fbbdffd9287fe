//! The review store: its rows, its list, and its checks on stores that are whole and on stores that are not.

use rex_store::identify::{Kind, identify};
use rex_store::review::{
    self, ApplyRun, Document, Entry, Gateway, Group, Message, Model, Provider, Record, Reference, Route,
    Session, Setting, Shape, Target, Thread, WorkspaceRule, checks,
};
use rusqlite::Connection;
use tempfile::tempdir;

const ROWS: &str = "
    INSERT INTO document VALUES ('d1', 'file', '/w/a.md', 'A', NULL, 't');
    INSERT INTO comment_group VALUES ('g1', '/w', NULL, 'Money', 0, 0, 't'), ('g2', '/w', 'g1', 'Inner', 0, 1, 't');
    INSERT INTO thread(id, document_id, kind, status, note, group_id, position, created_at, updated_at) VALUES
      ('t1', 'd1', 'anchored', 'open', 'one', NULL, 1, 't1', 't1'),
      ('t2', 'd1', 'anchored', 'draft', 'two', 'g2', 0, 't2', 't2'),
      ('t3', 'd1', 'synthesis', 'note', 'three', NULL, 0, 't3', 't3');
    INSERT INTO thread_target VALUES ('t1', 0, 'd1', '{}', 'ok', NULL), ('t2', 0, 'd1', '{}', NULL, NULL);
    INSERT INTO message(id, thread_id, seq, role, kind, mode, content, created_at) VALUES
      ('m1', 't1', 0, 'user', 'text', 'ask', 'one', 't1'), ('m2', 't1', 1, 'assistant', 'text', NULL, 'yes', 't1');
    INSERT INTO agent_gateway VALUES ('rex-original', 'Original', 'original', 1, 't');
    INSERT INTO gateway_route(gateway_id, sdk, auth) VALUES ('rex-original', 'claude-agent', 'inherit'),
      ('rex-original', 'codex', 'inherit'), ('rex-original', 'opencode', 'inherit'), ('rex-original', 'deep-agents', 'inherit');
    INSERT INTO thread_session VALUES ('t1', 'claude-agent', 'rex-original', NULL, 's1', 't');";

fn store(more: &str) -> Connection {
    let store = Connection::open_in_memory().unwrap();
    store.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    review::create_13(&store).unwrap();
    store.execute_batch(ROWS).unwrap();
    store
        .execute_batch(more)
        .unwrap_or_else(|error| panic!("{more}: {error}"));
    store
}

fn columns<T: Record>(shape: &Shape) {
    let secret = ["token_cipher", "key_cipher"];
    let mut found: Vec<_> = shape
        .columns(T::TABLE)
        .iter()
        .map(String::as_str)
        .filter(|column| !secret.contains(column))
        .collect();
    let mut expected: Vec<_> = T::COLUMNS
        .iter()
        .copied()
        .filter(|column| *column != "stroke_json")
        .collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "{}", T::TABLE);
}

#[test]
fn every_row_has_the_columns_of_its_table_but_no_secret() {
    let shape = Shape::read(&store("")).unwrap();
    columns::<Document>(&shape);
    columns::<Group>(&shape);
    columns::<Thread>(&shape);
    columns::<Target>(&shape);
    columns::<Message>(&shape);
    columns::<Gateway>(&shape);
    columns::<Route>(&shape);
    columns::<Provider>(&shape);
    columns::<Model>(&shape);
    columns::<Session>(&shape);
    columns::<Reference>(&shape);
    columns::<ApplyRun>(&shape);
    columns::<WorkspaceRule>(&shape);
    columns::<Setting>(&shape);
}

#[test]
fn rows_of_an_older_generation_lack_what_came_later() {
    let old = Connection::open_in_memory().unwrap();
    review::create_7(&old).unwrap();
    old.execute_batch(
        "INSERT INTO document VALUES ('d1', 'file', '/w/a.md', 'A', NULL, 't');
         INSERT INTO thread(id, document_id, kind, note, is_note, created_at, updated_at) VALUES ('t1', 'd1', 'anchored', 'n', 1, 't', 't');
         INSERT INTO message(id, thread_id, seq, role, kind, content, created_at) VALUES ('m1', 't1', 4, 'user', 'text', 'x', 't');",
    )
    .unwrap();
    let shape = Shape::read(&old).unwrap();
    let messages: Vec<Message> = shape
        .rows(&old, "WHERE thread_id = ?1 ORDER BY seq", ["t1"])
        .unwrap();
    assert_eq!(
        (messages[0].seq, messages[0].mode.clone(), messages[0].denied),
        (4, None, None)
    );
    let threads: Vec<Thread> = shape.rows(&old, "", []).unwrap();
    assert_eq!((threads[0].is_note, threads[0].style.clone()), (Some(1), None));
    assert_eq!(shape.rows::<Session>(&old, "", []).unwrap(), Vec::new());
}

#[test]
fn the_list_walks_folders_first_and_a_cycle_ends() {
    let listed = |more: &str| {
        let store = store(more);
        let shape = Shape::read(&store).unwrap();
        let groups: Vec<Group> = shape.rows(&store, "", []).unwrap();
        let threads: Vec<Thread> = shape.rows(&store, "", []).unwrap();
        let tree = review::tree(&groups, &threads);
        let lines: Vec<String> = tree
            .entries
            .iter()
            .map(|entry| match entry {
                Entry::Group { id, depth } => format!("{depth} {id}"),
                Entry::Thread { id, depth, number } => format!("{depth} #{number} {id}"),
            })
            .collect();
        (lines, tree.unreachable.len())
    };
    assert_eq!(
        listed(""),
        (
            ["0 g1", "1 g2", "2 #1 t2", "0 #2 t3", "0 #3 t1"]
                .map(str::to_owned)
                .to_vec(),
            0
        )
    );
    assert_eq!(
        listed("UPDATE comment_group SET parent_id = 'g2' WHERE id = 'g1'"),
        (["0 #1 t3", "0 #2 t1", "0 #3 t2"].map(str::to_owned).to_vec(), 2)
    );
}

#[test]
fn a_store_is_identified_by_its_columns() {
    for (create, expected) in [
        (
            review::create_7 as fn(&Connection) -> Result<(), rex_store::error::StoreError>,
            Kind::Review(7),
        ),
        (review::create_13, Kind::Review(13)),
    ] {
        let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
        let path = folder.path().join("rex.db");
        create(&crate::open(&path)).unwrap();
        assert_eq!(identify(&path, scratch.path()).unwrap().kind, expected);
    }
}

fn offending(store: &Connection) -> Vec<(&'static str, usize)> {
    let shape = Shape::read(store).unwrap();
    let run = |check: &checks::Check| (check.name, check.run(store, &shape).unwrap().len());
    checks::ALL
        .iter()
        .map(run)
        .filter(|(_, offences)| *offences > 0)
        .collect()
}

#[test]
fn a_whole_store_offends_no_check() {
    assert_eq!(offending(&store("")), Vec::new());
}

/// The check, and what makes its row.
const OFFENCES: [(&str, &str); 44] = [
    (
        "dangling_row",
        "UPDATE thread SET document_id = 'x' WHERE id = 't3'",
    ),
    (
        "target_without_thread",
        "INSERT INTO thread_target VALUES ('x', 0, 'd1', '{}', NULL, NULL)",
    ),
    (
        "target_without_document",
        "UPDATE thread_target SET document_id = 'x' WHERE thread_id = 't1'",
    ),
    (
        "seq_twice",
        "DROP INDEX idx_message_seq; UPDATE message SET seq = 0",
    ),
    ("seq_twice", "UPDATE message SET seq = -1 WHERE id = 'm1'"),
    (
        "search_key_missing",
        "DROP TRIGGER message_fts_ai; INSERT INTO message(id, thread_id, seq, role, kind, created_at) VALUES ('m3', 't1', 2, 'system', 'text', 't')",
    ),
    (
        "search_key_stranded",
        "DROP TRIGGER message_fts_ad; DELETE FROM message WHERE id = 'm1'",
    ),
    ("search_trigger_missing", "DROP TRIGGER message_fts_au"),
    (
        "target_message_wrong",
        "UPDATE thread_target SET message_id = 'm2' WHERE thread_id = 't1'",
    ),
    (
        "resolved_at_wrong",
        "UPDATE thread SET status = 'resolved' WHERE id = 't1'",
    ),
    (
        "status_unknown",
        "PRAGMA ignore_check_constraints = 1; UPDATE thread SET status = 'lost' WHERE id = 't1'",
    ),
    (
        "note_in_open_lane",
        "UPDATE thread SET status = 'open', is_note = 1 WHERE id = 't3'",
    ),
    (
        "group_in_itself",
        "UPDATE comment_group SET parent_id = 'g2' WHERE id = 'g1'",
    ),
    (
        "group_in_other_workspace",
        "UPDATE comment_group SET root = '/v' WHERE id = 'g1'",
    ),
    (
        "group_missing",
        "UPDATE thread SET group_id = 'x' WHERE id = 't2'",
    ),
    ("positions_all_equal", "UPDATE thread SET position = 0"),
    ("positions_equal", "UPDATE thread SET position = 0"),
    (
        "group_positions_equal",
        "INSERT INTO comment_group VALUES ('g3', '/w', 'g1', 'More', 0, 1, 't')",
    ),
    (
        "session_without_gateway",
        "UPDATE thread_session SET gateway_id = 'x'",
    ),
    (
        "session_without_thread",
        "UPDATE thread_session SET thread_id = 'x'",
    ),
    ("session_row_wrong", "UPDATE thread_session SET session_id = ''"),
    (
        "session_address_moved",
        "UPDATE thread_session SET base_url = 'http://localhost'",
    ),
    (
        "session_without_route",
        "DELETE FROM gateway_route WHERE sdk = 'claude-agent'",
    ),
    (
        "session_shared",
        "INSERT INTO thread_session VALUES ('t2', 'claude-agent', 'rex-original', NULL, 's1', 't')",
    ),
    (
        "session_returns",
        "UPDATE thread SET session_id = 's' WHERE id = 't2'",
    ),
    (
        "session_before_sending",
        "INSERT INTO thread_session VALUES ('t2', 'codex', 'rex-original', NULL, 's2', 't')",
    ),
    ("original_gateway_missing", "DELETE FROM agent_gateway"),
    (
        "original_route_missing",
        "DELETE FROM gateway_route WHERE sdk = 'codex'",
    ),
    (
        "stored_token_missing",
        "UPDATE gateway_route SET auth = 'stored', base_url = 'http://x' WHERE sdk = 'codex'",
    ),
    ("gateway_switched_off", "UPDATE agent_gateway SET enabled = 0"),
    (
        "places_missing",
        "DELETE FROM thread_target WHERE thread_id = 't1'",
    ),
    (
        "places_of_synthesis",
        "UPDATE thread SET kind = 'synthesis' WHERE id = 't1'",
    ),
    (
        "places_with_gaps",
        "UPDATE thread_target SET position = 1 WHERE thread_id = 't1'",
    ),
    (
        "place_is_no_object",
        "UPDATE thread_target SET anchor_json = '7' WHERE thread_id = 't1'",
    ),
    (
        "anchor_never_moved",
        "UPDATE thread SET anchor_json = '{' WHERE id = 't3'",
    ),
    (
        "tool_input_unreadable",
        "UPDATE message SET tool_input_json = '{' WHERE id = 'm2'",
    ),
    (
        "files_unreadable",
        "INSERT INTO apply_run VALUES ('a', 't1', 'pending', NULL, '[', 't', NULL)",
    ),
    (
        "note_with_agent",
        "UPDATE message SET mode = 'note', model = 'm' WHERE id = 'm1'",
    ),
    ("denied_odd", "UPDATE message SET denied = 1 WHERE id = 'm2'"),
    ("mode_odd", "UPDATE message SET mode = 'ask' WHERE id = 'm2'"),
    (
        "document_twice",
        "INSERT INTO document VALUES ('d2', 'file', '/w/A.md', NULL, NULL, 't')",
    ),
    ("document_path_relative", "UPDATE document SET value = 'a.md'"),
    (
        "reference_to_itself",
        "INSERT INTO thread_ref VALUES ('t3', 't3')",
    ),
    (
        "apply_run_odd",
        "INSERT INTO apply_run VALUES ('a', 't1', 'pending', NULL, '[]', 't', 't')",
    ),
];

#[test]
fn every_offence_trips_its_own_check() {
    for (name, sql) in OFFENCES {
        let found = offending(&store(sql));
        assert!(
            found.iter().any(|(found, _)| *found == name),
            "{name}: {sql}: {found:?}"
        );
    }
    let other = [
        (
            "first_place_elsewhere",
            "INSERT INTO document VALUES ('d2', 'file', '/w/b.md', NULL, NULL, 't'); UPDATE thread_target SET document_id = 'd2' WHERE thread_id = 't1'",
        ),
        (
            "note_stamped_as_answer",
            "UPDATE thread SET is_note = 1 WHERE id = 't3'; INSERT INTO message(id, thread_id, seq, role, kind, sdk, created_at) VALUES ('m3', 't3', 0, 'user', 'text', 'claude-agent', 't')",
        ),
        (
            "document_is_url",
            "PRAGMA ignore_check_constraints = 1; UPDATE document SET kind = 'url'",
        ),
        (
            "reference_of_anchored",
            "INSERT INTO thread_ref VALUES ('t1', 't2')",
        ),
        ("leftover_table", "CREATE TABLE thread_rebuilt(id)"),
        (
            "foreign_object",
            "CREATE VIEW open_threads AS SELECT id FROM thread",
        ),
    ];
    for (name, sql) in other {
        let found = offending(&store(sql));
        assert_eq!(found, [(name, 1)], "{sql}");
    }
    let tried: std::collections::BTreeSet<_> = OFFENCES.iter().chain(&other).map(|(name, _)| *name).collect();
    let all: std::collections::BTreeSet<_> = checks::ALL.iter().map(|check| check.name).collect();
    let untried: Vec<_> = all.difference(&tried).collect();
    assert_eq!(untried, [&"damaged_pages"], "no plain statement damages a page");
}
