//! The engine on toy stores: what holds for any family.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use rex_migrate::backup;
use rex_migrate::engine::{Done, Keep, Request, Target, Upgraded};
use rex_migrate::error::MigrateError;
use rex_migrate::look::Depth;
use rex_migrate::receipt::Receipt;
use rex_migrate::step::Options;
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
