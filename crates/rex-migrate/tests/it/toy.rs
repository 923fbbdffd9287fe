//! A family of small stores with two steps, to show that the engine knows nothing of any store.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rex_migrate::clock::SystemClock;
use rex_migrate::engine::{CACHE_BYTES, Engine};
use rex_migrate::family::{Family, Told};
use rex_migrate::files::{Files, SystemFiles};
use rex_migrate::progress::Silent;
use rex_migrate::step::{Conserved, How, Outcome, Step, StepError, Work};
use rex_store::error::StoreError;
use rusqlite::{Connection, OpenFlags};

pub(crate) const V1: &str = "
    CREATE TABLE shelf(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE book(id INTEGER PRIMARY KEY AUTOINCREMENT, shelf INTEGER NOT NULL REFERENCES shelf(id), title TEXT NOT NULL);
    CREATE INDEX book_shelf ON book(shelf);
    CREATE TABLE loan(book INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE, who TEXT, PRIMARY KEY (book, who));";
const V2_BOOK: &str = "
    CREATE TABLE book2(id INTEGER PRIMARY KEY AUTOINCREMENT, shelf INTEGER NOT NULL REFERENCES shelf(id),
      title TEXT NOT NULL, pages INTEGER);
    INSERT INTO book2(id, shelf, title) SELECT id, shelf, title FROM book;
    UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'book') WHERE name = 'book2';
    DROP TABLE book;
    ALTER TABLE book2 RENAME TO book;
    CREATE INDEX book_shelf ON book(shelf);";
const V3_READER: &str = "
    CREATE TABLE reader(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    INSERT INTO reader(name) SELECT DISTINCT who FROM loan WHERE who IS NOT NULL ORDER BY who;";

pub(crate) const REBUILD: Step = Step {
    id: "toy.v2_pages",
    from: 1,
    to: 2,
    summary: "books know their pages",
    how: How::Code {
        look: |_, _| Ok(Vec::new()),
        apply: rebuild,
    },
    functions: None,
    conserves: &[Conserved {
        table: "book",
        before: "SELECT id, shelf, title, NULL FROM book",
        after: "SELECT id, shelf, title, pages FROM book",
        rule: "every book, its pages unknown",
    }],
};

pub(crate) const READERS: Step = Step {
    id: "toy.v3_readers",
    from: 2,
    to: 3,
    summary: "readers get a table",
    how: How::Statements(V3_READER),
    functions: None,
    conserves: &[Conserved {
        table: "reader",
        before: "SELECT DISTINCT who FROM loan WHERE who IS NOT NULL",
        after: "SELECT name FROM reader",
        rule: "everybody who ever borrowed a book",
    }],
};

fn rebuild(work: &Work<'_>) -> Result<Outcome, StepError> {
    work.connection
        .execute_batch(V2_BOOK)
        .map_err(|source| StepError::Sqlite {
            step: REBUILD.id,
            doing: "rebuild book",
            source,
        })?;
    Ok(Outcome::default())
}

pub(crate) fn fresh(connection: &Connection, version: i64) -> Result<bool, StoreError> {
    let sql = match version {
        1 => V1.to_owned(),
        2 => format!("{V1}{V2_BOOK}"),
        3 => format!("{V1}{V2_BOOK}{V3_READER}"),
        _ => return Ok(false),
    };
    connection
        .execute_batch(&sql)
        .map_err(|source| StoreError::Sqlite {
            doing: "create a toy store",
            source,
        })?;
    Ok(true)
}

pub(crate) const FAMILY: Family<'static> = Family {
    name: "toy store",
    steps: &[REBUILD, READERS],
    fresh,
    told: Told::Number,
};

pub(crate) fn engine<'a>(family: Family<'a>, files: &'a dyn Files, scratch: &Path) -> Engine<'a> {
    Engine {
        family,
        files,
        clock: &SystemClock,
        progress: Arc::new(Silent),
        scratch: scratch.to_owned(),
        cache_bytes: CACHE_BYTES,
    }
}

pub(crate) fn system_engine(scratch: &Path) -> Engine<'static> {
    engine(FAMILY, &SystemFiles, scratch)
}

pub(crate) fn open(path: &Path) -> Connection {
    Connection::open_with_flags(path, OpenFlags::default()).unwrap()
}

/// A store at version 1 with `books` books, in a folder of its own.
pub(crate) fn store(folder: &Path, journal_mode: &str, books: u32) -> PathBuf {
    let path = folder.join("toy.db");
    let connection = open(&path);
    connection
        .query_row(&format!("PRAGMA journal_mode = {journal_mode}"), [], |_| Ok(()))
        .unwrap();
    connection.execute_batch(V1).unwrap();
    connection
        .execute_batch(&format!(
            "INSERT INTO shelf(name) VALUES ('a'), ('b');
             WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < {books})
             INSERT INTO book(shelf, title) SELECT 1 + value % 2, 'title ' || value FROM n;
             INSERT INTO loan SELECT id, 'reader ' || (id % 3) FROM book;
             DELETE FROM loan WHERE book = {books};
             DELETE FROM book WHERE id = {books};
             PRAGMA user_version = 1;"
        ))
        .unwrap();
    path
}
