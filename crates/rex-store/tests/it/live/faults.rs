//! Storage that fails at each of its operations in turn: the store is as it was before or as after, never between.

use std::path::Path;
use std::time::Duration;

use rex_store::daemon::{End, LiveWriter, Submitted};
use rex_store::digest;
use rex_store::error::StoreError;
use rex_store::open::Live;
use testkit::faults::{Fault, Script};

use super::{Store, request};

const TABLES: [&str; 10] = [
    "messages",
    "turns",
    "nodes",
    "bots",
    "events",
    "retained_messages",
    "checkpoints",
    "message_sequence",
    "node_sequence",
    "sqlite_sequence",
];

type Operation = fn(&mut LiveWriter) -> Result<(), StoreError>;

fn submit(writer: &mut LiveWriter) -> Result<(), StoreError> {
    let words = "words ".repeat(2000);
    writer.submit(&request("steer", &words), 7).map(|_| ())
}

fn take_in(writer: &mut LiveWriter) -> Result<(), StoreError> {
    writer.take_in(1, 8).map(|_| ())
}

fn finish(writer: &mut LiveWriter) -> Result<(), StoreError> {
    writer.finish(1, End::Completed, 9).map(|_| ())
}

fn start(writer: &mut LiveWriter) -> Result<(), StoreError> {
    writer.start_next(10).map(|_| ())
}

/// What every table holds, and that the store is sound, as somebody sees it who opens it next.
fn content(path: &Path) -> Vec<String> {
    let store = crate::open(path);
    let check: String = store
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
    TABLES
        .iter()
        .map(|table| format!("{table} {}", digest::table(&store, table).unwrap()))
        .collect()
}

/// A store with a run, two steers and a queued message, brought to where the operation can be done.
fn prepared(name: &str) -> Store {
    let mut store = Store::new(1);
    store.start("first");
    store.line_up("steer", "a");
    store.line_up("steer", &"long ".repeat(1000));
    store.line_up("queue", "queued");
    if name == "start" {
        store.writer.finish(1, End::Completed, 6).unwrap();
    }
    store
}

/// The files of a store as they lie, in a folder of their own, and a writer on them.
fn copied(store: &Store) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = crate::crash(&store.folder.path().join("s.db"), folder.path());
    (folder, path)
}

fn writer(path: &Path) -> LiveWriter {
    LiveWriter::new(Live::open(path, Duration::ZERO).unwrap(), 1)
}

#[test]
fn a_failure_at_any_operation_leaves_the_store_before_or_after() {
    testkit::faults::install();
    let operations: [(&str, Operation); 4] = [
        ("submit", submit),
        ("take_in", take_in),
        ("finish", finish),
        ("start", start),
    ];
    for (name, operation) in operations {
        let store = prepared(name);
        let (_folder, path) = copied(&store);
        let before = content(&path);
        let counting = Script::new(Fault::None);
        let mut whole = writer(&path);
        counting.rule(|| operation(&mut whole)).unwrap();
        drop(whole);
        let after = content(&path);
        assert_ne!(before, after, "{name} writes");
        assert!(counting.count() > 3, "{name}: {} operations", counting.count());
        for at in 1..=counting.count() {
            for fault in [Fault::Once(at), Fault::From(at)] {
                fails(&store, name, operation, (&before, &after), fault);
            }
        }
    }
}

fn fails(store: &Store, name: &str, operation: Operation, states: (&[String], &[String]), fault: Fault) {
    let (_folder, path) = copied(store);
    let mut writer = writer(&path);
    let script = Script::new(fault);
    let done = script.rule(|| operation(&mut writer));
    let seen_live = script.rule(|| writer.submit(&request("queue", "after the failure"), 11));
    let is_alive = !matches!(seen_live, Err(StoreError::WriterDead));
    assert_eq!(
        done.is_ok(),
        is_alive,
        "{name} at {}: a writer that failed is dead: {done:?}",
        script.count()
    );
    let (_seen_folder, crashed) = {
        let folder = tempfile::tempdir().unwrap();
        let crashed = crate::crash(&path, folder.path());
        (folder, crashed)
    };
    drop(writer);
    if done.is_ok() {
        return;
    }
    for path in [&crashed, &path] {
        let found = content(path);
        let is_whole = found == states.0 || found == states.1;
        assert!(is_whole, "{name}: neither before nor after: {found:?}");
    }
}

#[test]
fn a_writer_goes_on_after_a_refusal_and_gives_up_after_a_failure() {
    testkit::faults::install();
    let store = prepared("submit");
    let (_folder, path) = copied(&store);
    let mut writer = writer(&path);
    let refused = writer.submit(&request("reject", "busy"), 7).unwrap_err();
    assert!(matches!(refused, StoreError::Refused { .. }));
    assert!(matches!(
        writer.submit(&request("queue", "b"), 7).unwrap(),
        Submitted::InLine { .. }
    ));
    let failed = Script::new(Fault::Once(1))
        .rule(|| submit(&mut writer))
        .unwrap_err();
    assert!(matches!(failed, StoreError::Sqlite { .. }), "{failed}");
    let dead = submit(&mut writer).unwrap_err();
    assert!(matches!(dead, StoreError::WriterDead), "{dead}");
}
