//! A reader sees what SQLite would see, and nobody sees that it was there.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rex_store::error::StoreError;
use rex_store::open::{How, Reader};
use rusqlite::Connection;
use tempfile::tempdir;

use crate::{crash, listing, open};

fn create(path: &Path, journal_mode: &str) -> Connection {
    let store = open(path);
    store
        .query_row(&format!("PRAGMA journal_mode = {journal_mode}"), [], |_| Ok(()))
        .unwrap();
    store
        .execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES ('old')")
        .unwrap();
    store
}

fn rows(connection: &Connection) -> Vec<String> {
    let mut statement = connection
        .prepare("SELECT a FROM t ORDER BY rowid LIMIT 3")
        .unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

/// Reads a store and holds that its folder is as it was and that nothing is left of the copy.
fn read(store: &Path) -> (How, Vec<String>) {
    let scratch = tempdir().unwrap();
    let before = listing(store.parent().unwrap());
    let reader = Reader::open(store, scratch.path()).unwrap();
    let found = (reader.how(), rows(reader.connection()));
    assert!(
        reader
            .connection()
            .execute("INSERT INTO t VALUES ('new')", [])
            .is_err(),
        "a reader cannot write"
    );
    assert!(reader.is_unmoved().unwrap());
    drop(reader);
    assert_eq!(listing(store.parent().unwrap()), before);
    assert!(listing(scratch.path()).is_empty());
    found
}

#[test]
fn a_name_may_hold_any_byte() {
    for name in [
        &b"a b.db"[..],
        b"a?b#c%20d&e.db",
        b"file:x.db",
        b"x.db?immutable=0",
        b"\xff\xfe.db",
        b"-.db",
    ] {
        let folder = tempdir().unwrap();
        let path = folder.path().join(OsStr::from_bytes(name));
        // SQLite itself is told the name as a plain path, which must not begin like a URI.
        drop(create(&path, "DELETE"));
        assert_eq!(
            read(&path),
            (How::Immutable, vec!["old".to_owned()]),
            "{}",
            path.display()
        );
    }
}

#[test]
fn rows_that_only_the_wal_holds_are_seen() {
    let (folder, crashed) = (tempdir().unwrap(), tempdir().unwrap());
    let path = folder.path().join("s.db");
    let store = create(&path, "WAL");
    store
        .execute_batch("INSERT INTO t VALUES ('committed'); BEGIN; INSERT INTO t VALUES ('not yet')")
        .unwrap();
    let path = crash(&path, crashed.path());
    let (how, rows) = read(&path);
    assert_ne!(how, How::Immutable);
    assert_eq!(rows, ["old", "committed"]);
}

#[test]
fn a_large_store_is_read_in_place_with_its_wal() {
    let (folder, crashed, scratch) = (tempdir().unwrap(), tempdir().unwrap(), tempdir().unwrap());
    let path = folder.path().join("a ?#%.db");
    let store = create(&path, "WAL");
    store
        .execute_batch("INSERT INTO t VALUES ('committed'); PRAGMA user_version = 7")
        .unwrap();
    let path = crash(&path, crashed.path());
    let before = listing(crashed.path());
    for _ in 0..2 {
        let reader = Reader::open_copying(&path, scratch.path(), 0).unwrap();
        let connection = reader.connection();
        // Where the file system clones, even a large store is copied.
        assert_ne!(reader.how(), How::Immutable);
        assert_eq!(rows(connection), ["old", "committed"]);
        assert_eq!(
            connection.query_row("PRAGMA user_version", [], |row| row.get(0)),
            Ok(7)
        );
        connection
            .execute_batch("CREATE TEMP TABLE own(a); INSERT INTO own SELECT a FROM t")
            .unwrap();
        let refused = connection
            .execute("INSERT INTO t VALUES ('new')", [])
            .unwrap_err();
        assert_eq!(
            refused.sqlite_error_code(),
            Some(rusqlite::ErrorCode::ReadOnly),
            "{refused}"
        );
        let copy = scratch.path().join("copy.db");
        connection.execute("VACUUM INTO ?1", [copy.to_str()]).unwrap();
        assert_eq!(rows(&open(&copy)), ["old", "committed"]);
        std::fs::remove_file(copy).unwrap();
        assert!(reader.is_unmoved().unwrap());
        drop(reader);
        assert_eq!(listing(crashed.path()), before);
    }
}

#[test]
fn a_checkpoint_under_a_reader_in_place_is_noticed() {
    let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
    let path = folder.path().join("s.db");
    let store = create(&path, "WAL");
    let reader = Reader::open_copying(&path, scratch.path(), 0).unwrap();
    assert!(reader.is_unmoved().unwrap());
    store.execute_batch("INSERT INTO t VALUES ('new')").unwrap();
    assert_eq!(
        rows(reader.connection()),
        ["old"],
        "what is committed later is not seen"
    );
    store
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    assert!(reader.how() == How::Copied || !reader.is_unmoved().unwrap());
}

#[test]
fn what_a_journal_would_undo_is_undone() {
    let (folder, crashed) = (tempdir().unwrap(), tempdir().unwrap());
    let path = folder.path().join("s.db");
    let store = create(&path, "DELETE");
    store
        .execute_batch("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE t SET a = 'unfinished'")
        .unwrap();
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO t SELECT hex(randomblob(2000)) FROM n";
    store.execute_batch(many).unwrap();
    let path = crash(&path, crashed.path());
    assert!(
        crashed.path().join("s.db-journal").exists(),
        "the transaction has spilled"
    );
    assert_eq!(read(&path), (How::Copied, vec!["old".to_owned()]));
}

#[test]
fn files_beside_it_that_hold_nothing_are_no_reason_to_copy() {
    for (journal_mode, beside, content) in [
        ("PERSIST", "", ""),
        ("DELETE", "-journal", "\0\0\0\0\0\0\0\0\0\0"),
        ("WAL", "-wal", ""),
        ("WAL", "-wal", "\0\0\0\0"),
    ] {
        let folder = tempdir().unwrap();
        let path = folder.path().join("s.db");
        drop(create(&path, journal_mode));
        if !beside.is_empty() {
            std::fs::write(folder.path().join(format!("s.db{beside}")), content).unwrap();
        }
        assert_eq!(
            read(&path),
            (How::Immutable, vec!["old".to_owned()]),
            "{journal_mode} {beside} {content:?}"
        );
    }
}

#[test]
fn a_link_is_read_with_the_wal_beside_the_file_it_leads_to() {
    let (folder, crashed, links) = (tempdir().unwrap(), tempdir().unwrap(), tempdir().unwrap());
    let path = folder.path().join("s.db");
    let store = create(&path, "WAL");
    store.execute_batch("INSERT INTO t VALUES ('committed')").unwrap();
    let path = crash(&path, crashed.path());
    let link = links.path().join("link.db");
    std::os::unix::fs::symlink(path, &link).unwrap();
    assert_eq!(read(&link).1, ["old", "committed"]);
}

#[test]
fn a_store_that_changes_under_its_reader_is_noticed() {
    let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
    let path = folder.path().join("s.db");
    let store = create(&path, "DELETE");
    let reader = Reader::open(&path, scratch.path()).unwrap();
    assert!(reader.is_unmoved().unwrap());
    store.execute_batch("INSERT INTO t VALUES ('new')").unwrap();
    assert!(!reader.is_unmoved().unwrap());
}

#[test]
fn what_is_no_store_is_told_apart() {
    let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("folder")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, at("fifo"), rustix::fs::Mode::RWXU).unwrap();
    std::fs::write(
        at("text"),
        "no database, but long enough to hold the header of one: a hundred bytes and then some more text",
    )
    .unwrap();
    let refused = |name: &str| Reader::open(&at(name), scratch.path()).unwrap_err();
    assert!(matches!(
        refused("folder"),
        StoreError::NotAFile {
            found: "directory",
            ..
        }
    ));
    assert!(matches!(
        refused("fifo"),
        StoreError::NotAFile { found: "fifo", .. }
    ));
    assert!(matches!(refused("text"), StoreError::NotADatabase { .. }));
    assert!(matches!(refused("nothing"), StoreError::Io { .. }));
}
