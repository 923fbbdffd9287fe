//! An application upgrades its own store: one step, one fact, and the engine does the rest.

use rex_migrate::engine::{Done, Engine, Keep, Request, Target};
use rex_migrate::family::{Family, Told};
use rex_migrate::look::Depth;
use rex_migrate::step::{Conserved, How, Options, Step};
use rusqlite::{Connection, OpenFlags};

const STEPS: &[Step] = &[Step {
    id: "notes.v2_split_title",
    from: 1,
    to: 2,
    summary: "the first line of a note becomes its title",
    how: How::Statements(
        "ALTER TABLE notes ADD COLUMN title TEXT NOT NULL DEFAULT '';
         UPDATE notes SET title = substr(text, 1, instr(text || char(10), char(10)) - 1);",
    ),
    functions: None,
    conserves: &[Conserved {
        table: "notes",
        before: "SELECT id, text FROM notes",
        after: "SELECT id, text FROM notes",
        rule: "every note keeps its number and its text",
    }],
}];

/// Runs the example in a scratch folder.
///
/// # Errors
/// Whatever went wrong, to be printed.
pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("notes.db");
    let notes = Connection::open_with_flags(&store, OpenFlags::default())?;
    notes.execute_batch(
        "CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT NOT NULL);
         INSERT INTO notes(text) VALUES ('Milk\nand bread'); PRAGMA user_version = 1;",
    )?;
    drop(notes);

    let family = Family {
        name: "note store",
        steps: STEPS,
        fresh: |_, _| Ok(false),
        told: Told::Number,
    };
    let engine = Engine::new(family, folder.path());
    let options = Options::default();
    let look = engine.look(&store, &options, Depth::Full)?;
    let request = Request {
        target: Target::InPlace(Keep::Beside),
        options,
        compact: false,
    };
    let Done::Upgraded(upgraded) = engine.up(&look, &request)? else {
        return Err("nothing to do".into());
    };
    assert_eq!((upgraded.receipt.from, upgraded.receipt.to), (1, 2));
    Ok(())
}
