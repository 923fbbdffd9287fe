//! The engine on toy stores: what holds for any family.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use rex_migrate::backup;
use rex_migrate::engine::{Done, Engine, Keep, Request, Target, Upgraded};
use rex_migrate::error::MigrateError;
use rex_migrate::family::{Family, Told};
use rex_migrate::look::Depth;
use rex_migrate::receipt::Receipt;
use rex_migrate::step::{Conserved, How, Options, Step};
use tempfile::tempdir;

use crate::toy;

fn request(target: Target) -> Request {
    Request {
        target,
        options: Options::default(),
        compact: false,
    }
}

pub(crate) fn up(folder: &Path, store: &Path, target: Target) -> Result<Done, MigrateError> {
    let engine = toy::system_engine(folder);
    let look = engine.look(store, &Options::default(), Depth::Full)?;
    engine.up(&look, &request(target))
}

fn upgraded(done: Done) -> Upgraded {
    match done {
        Done::Upgraded(upgraded) => *upgraded,
        Done::NothingToDo => panic!("nothing was done"),
    }
}

/// Every file of a folder with its bytes and times.
pub(crate) fn listing(folder: &Path) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let content = std::fs::read(entry.path()).unwrap_or_default();
            (
                entry.file_name().into_string().unwrap(),
                (content, entry.metadata().unwrap().modified().unwrap()),
            )
        })
        .collect()
}

#[test]
fn an_upgrade_in_place_leaves_the_store_a_backup_and_a_receipt() {
    for journal_mode in ["DELETE", "WAL"] {
        let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
        let store = toy::store(folder.path(), journal_mode, 50);
        let old = std::fs::read(&store).unwrap();
        let done = upgraded(up(scratch.path(), &store, Target::InPlace(Keep::Beside)).unwrap());
        assert_eq!(done.notes, Vec::<String>::new());
        let receipt = done.receipt;
        assert_eq!((receipt.from, receipt.to), (1, 3));
        assert!(receipt.tables.iter().all(rex_migrate::receipt::TableProof::holds));
        let record = receipt.backup.clone().unwrap();
        assert_eq!(
            backup::digest(&record.path, &rex_migrate::files::SystemFiles).unwrap(),
            record.digest
        );
        let kept = std::fs::read(&record.path).unwrap();
        assert_eq!(kept.len(), old.len());
        // In WAL mode the header says so, and a change counter has moved; nothing else may differ.
        assert!(kept == old || journal_mode == "WAL");
        let read = Receipt::read(&done.receipt_path.unwrap()).unwrap();
        assert_eq!(read, receipt);
        assert_eq!(listing(folder.path()).len(), 3, "store, backup, receipt");
        let mode: String = toy::open(&store)
            .query_row("PRAGMA journal_mode", [], |row| row.get(0))
            .unwrap();
        assert_eq!(mode, journal_mode.to_lowercase());
    }
}

#[test]
fn a_second_upgrade_does_nothing() {
    let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
    let store = toy::store(folder.path(), "WAL", 5);
    upgraded(up(scratch.path(), &store, Target::InPlace(Keep::Beside)).unwrap());
    let before = listing(folder.path());
    assert_eq!(
        up(scratch.path(), &store, Target::InPlace(Keep::Beside)).unwrap(),
        Done::NothingToDo
    );
    assert_eq!(listing(folder.path()), before);
}

#[test]
fn an_upgrade_elsewhere_leaves_the_store_alone() {
    let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
    let store = toy::store(folder.path(), "DELETE", 5);
    let before = listing(folder.path());
    let target = scratch.path().join("new.db");
    let done = upgraded(up(scratch.path(), &store, Target::Elsewhere(target.clone())).unwrap());
    assert_eq!(listing(folder.path()), before);
    assert_eq!(done.receipt.store, target);
    assert_eq!(done.receipt.backup, None);
    assert_eq!(
        listing(scratch.path()).into_keys().collect::<Vec<_>>(),
        ["new.db", "new.db.receipt.json"]
    );
    let again = up(scratch.path(), &store, Target::Elsewhere(target.clone())).unwrap_err();
    assert_eq!(
        again.to_string(),
        format!("{} is there already", target.display())
    );
}

#[test]
fn a_dry_run_leaves_nothing_anywhere() {
    let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
    let store = toy::store(folder.path(), "WAL", 5);
    let before = listing(folder.path());
    let done = upgraded(up(scratch.path(), &store, Target::Nowhere).unwrap());
    assert_eq!(done.receipt.to, 3);
    assert_eq!(listing(folder.path()), before);
    assert_eq!(listing(scratch.path()).len(), 0);
}

/// Runs a step that breaks its promise, and says what the engine answers; the store must be as it was.
fn broken(step: Step, journal_mode: &str) -> MigrateError {
    let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
    let store = toy::store(folder.path(), journal_mode, 20);
    let before = content(&store);
    let steps = [step];
    let family = Family {
        name: "toy store",
        steps: &steps,
        fresh: toy::FAMILY.fresh,
        told: Told::Number,
    };
    let engine = Engine::new(family, scratch.path());
    let look = engine.look(&store, &Options::default(), Depth::Full).unwrap();
    let error = engine
        .up(&look, &request(Target::InPlace(Keep::Beside)))
        .unwrap_err();
    assert_eq!(content(&store), before);
    assert_eq!(
        listing(folder.path()).len(),
        1,
        "no backup and no journal is left: {:?}",
        listing(folder.path()).keys()
    );
    error
}

fn content(store: &Path) -> Vec<String> {
    let connection = toy::open(store);
    ["shelf", "book", "loan", "sqlite_sequence"]
        .map(|table| rex_store::digest::table(&connection, table).unwrap().to_string())
        .to_vec()
}

#[test]
fn a_step_that_breaks_its_promise_is_rolled_back_and_the_table_named() {
    let lossy = |sql: &'static str| Step {
        how: How::Statements(sql),
        ..toy::REBUILD
    };
    for (sql, says) in [
        (
            "DELETE FROM loan WHERE book = 2",
            "loan: 19 rows became 18, and their content is not equal (unchanged)",
        ),
        (
            "UPDATE shelf SET name = name || ' '",
            "shelf: 2 rows became 2, and their content is not equal (unchanged)",
        ),
        (
            "DROP TABLE loan",
            "loan disappeared, and no fact of the step covers it",
        ),
        (
            "CREATE TABLE cellar(id)",
            "cellar appeared, and no fact of the step covers it",
        ),
        (
            "UPDATE sqlite_sequence SET seq = 3",
            "sqlite_sequence: 1 rows became 1, and their content is not equal (unchanged)",
        ),
        ("SELECT nonsense", "cannot run the statements of a step"),
    ] {
        for journal_mode in ["DELETE", "WAL"] {
            let plain = format!("ALTER TABLE book ADD COLUMN pages INTEGER; {sql}").leak();
            assert_eq!(broken(lossy(plain), journal_mode).to_string(), says, "{sql}");
        }
    }
}

#[test]
fn a_cascade_that_a_rebuild_sets_off_is_found() {
    // With foreign keys off, as the engine has them, nothing cascades; a step that deletes children itself does the same harm.
    let step = Step {
        how: How::Statements(
            "ALTER TABLE book ADD COLUMN pages INTEGER; DELETE FROM loan WHERE book IN (SELECT id FROM book);",
        ),
        ..toy::REBUILD
    };
    assert_eq!(
        broken(step, "DELETE").to_string(),
        "loan: 19 rows became 0, and their content is not equal (unchanged)"
    );
}

#[test]
fn a_reference_that_a_step_breaks_is_found() {
    const CONSERVES: &[Conserved] = &[Conserved {
        table: "book",
        before: "SELECT id, title FROM book",
        after: "SELECT id, title FROM book",
        rule: "every book, on whatever shelf",
    }];
    let how = How::Statements(
        "UPDATE book SET shelf = 99 WHERE id < 3; ALTER TABLE book ADD COLUMN pages INTEGER;",
    );
    let step = Step {
        how,
        conserves: CONSERVES,
        ..toy::REBUILD
    };
    assert_eq!(
        broken(step, "DELETE").to_string(),
        "book: 2 rows name a row of shelf that is not there"
    );
}

#[test]
fn a_schema_that_is_not_a_fresh_ones_is_rolled_back() {
    let how = How::Statements("ALTER TABLE book ADD COLUMN pages TEXT");
    let error = broken(Step { how, ..toy::REBUILD }, "DELETE").to_string();
    assert!(
        error.starts_with("the upgraded schema differs from a fresh one: "),
        "{error}"
    );
}

#[test]
fn a_backup_goes_where_it_is_told_and_never_over_anything() {
    let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
    let store = toy::store(folder.path(), "DELETE", 5);
    let path = scratch.path().join("kept");
    std::fs::write(&path, "mine").unwrap();
    let before = listing(folder.path());
    let taken = up(scratch.path(), &store, Target::InPlace(Keep::At(path.clone()))).unwrap_err();
    assert_eq!(taken.to_string(), format!("{} is there already", path.display()));
    assert_eq!(listing(folder.path()), before);
    let free = scratch.path().join("free");
    let done = upgraded(up(scratch.path(), &store, Target::InPlace(Keep::At(free.clone()))).unwrap());
    assert_eq!(done.receipt.backup.unwrap().path, free);
    assert_eq!(std::fs::read(&free).unwrap(), before["toy.db"].0);
}

#[test]
fn without_a_backup_only_the_receipt_is_written() {
    let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
    let store = toy::store(folder.path(), "WAL", 5);
    let request = Request {
        compact: true,
        ..request(Target::InPlace(Keep::Nothing))
    };
    let engine = toy::system_engine(scratch.path());
    let look = engine.look(&store, &Options::default(), Depth::Full).unwrap();
    let done = upgraded(engine.up(&look, &request).unwrap());
    assert_eq!((done.receipt.backup, done.notes), (None, Vec::new()));
    assert_eq!(listing(folder.path()).len(), 2);
    let free: i64 = toy::open(&store)
        .query_row("PRAGMA freelist_count", [], |row| row.get(0))
        .unwrap();
    assert_eq!(free, 0, "compacted");
}

#[test]
fn a_leftover_wal_is_not_played_into_a_new_file() {
    let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
    let store = toy::store(folder.path(), "DELETE", 5);
    std::fs::write(scratch.path().join("new.db-wal"), "somebody else's").unwrap();
    let target = scratch.path().join("new.db");
    let error = up(scratch.path(), &store, Target::Elsewhere(target.clone())).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{}-wal is there already", target.display())
    );
}

#[test]
fn what_changed_since_the_look_is_looked_at_again() {
    let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
    let store = toy::store(folder.path(), "DELETE", 5);
    let engine = toy::system_engine(scratch.path());
    let look = engine.look(&store, &Options::default(), Depth::Full).unwrap();
    toy::open(&store)
        .execute_batch("PRAGMA foreign_keys = OFF; UPDATE book SET shelf = 99 WHERE id = 1")
        .unwrap();
    let before = listing(folder.path());
    let error = engine
        .up(&look, &request(Target::InPlace(Keep::Beside)))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "foreign keys are violated already: 1 row of book names a row of shelf that is not there"
    );
    assert_eq!(listing(folder.path()), before);
}

#[test]
fn a_wal_with_committed_rows_is_taken_in() {
    let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
    let live = toy::store(scratch.path(), "WAL", 5);
    let writer = toy::open(&live);
    writer
        .execute_batch("INSERT INTO shelf(name) VALUES ('only in the WAL')")
        .unwrap();
    for suffix in ["", "-wal"] {
        let [from, to] = [scratch.path(), folder.path()].map(|folder| folder.join(format!("toy.db{suffix}")));
        std::fs::copy(from, to).unwrap();
    }
    let store = folder.path().join("toy.db");
    upgraded(up(scratch.path(), &store, Target::InPlace(Keep::Beside)).unwrap());
    let shelves: i64 = toy::open(&store)
        .query_row("SELECT count(*) FROM shelf", [], |row| row.get(0))
        .unwrap();
    assert_eq!(shelves, 3);
}

#[test]
fn a_used_store_differs_from_its_receipt() {
    let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
    let store = toy::store(folder.path(), "DELETE", 5);
    let family = Family {
        steps: &[toy::REBUILD],
        ..toy::FAMILY
    };
    let engine = Engine::new(family, scratch.path());
    let look = engine.look(&store, &Options::default(), Depth::Full).unwrap();
    let done = upgraded(engine.up(&look, &request(Target::InPlace(Keep::Beside))).unwrap());
    let backup = done.receipt.backup.unwrap().path;
    for against in [None, Some(backup.as_path())] {
        let found = engine.verify(&store, against).unwrap();
        assert!(found.holds && !found.tables.is_empty(), "{found:?}");
    }
    toy::open(&store)
        .execute_batch("UPDATE shelf SET name = 'c' WHERE id = 1")
        .unwrap();
    for against in [None, Some(backup.as_path())] {
        let found = engine.verify(&store, against).unwrap();
        let broken: Vec<_> = found
            .tables
            .iter()
            .filter(|proof| !proof.holds())
            .map(|proof| &*proof.name)
            .collect();
        assert_eq!((found.holds, broken), (false, vec!["shelf"]));
    }
}
