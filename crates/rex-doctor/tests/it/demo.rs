//! The small machine that comes with the repository, and what the README shows of it.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use rusqlite::OpenFlags;
use testkit::page::{is_updating, repository};

const STORE: &str = "fixtures/demo/home/demo/.codex/state_5.sqlite";
const SQL: &str = "fixtures/demo/state_5.sql";

fn build(path: &Path) {
    let sql = fs::read_to_string(repository().join(SQL)).unwrap();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let store = Connection::open_with_flags(path, flags).unwrap();
    store.execute_batch(&sql).unwrap();
}

/// Each object of the schema, and each table with its count and its order-free digest.
fn content(path: &Path) -> (Vec<String>, Vec<(String, rex_store::digest::TableDigest)>) {
    let store = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let column = |sql: &str| -> Vec<String> {
        let mut statement = store.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let schema = column("SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY type, name");
    let tables = column("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    let digests = tables
        .into_iter()
        .map(|table| {
            let digest = rex_store::digest::table(&store, &table).unwrap();
            (table, digest)
        })
        .collect();
    (schema, digests)
}

#[test]
fn the_store_of_the_demo_is_what_its_text_says() {
    let store = repository().join(STORE);
    if is_updating() {
        fs::remove_file(&store).unwrap();
        build(&store);
    }
    let folder = tempfile::tempdir().unwrap();
    let fresh = folder.path().join("fresh.sqlite");
    build(&fresh);
    assert_eq!(
        content(&store),
        content(&fresh),
        "UPDATE_DOCS=1 builds {STORE} from {SQL}"
    );
}

#[test]
fn the_readme_shows_what_the_doctor_prints() {
    testkit::readme::assert_outputs(
        "rex-doctor",
        Path::new(env!("CARGO_BIN_EXE_rex-doctor")),
        str::to_owned,
    );
}
