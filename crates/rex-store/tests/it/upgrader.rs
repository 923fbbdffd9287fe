//! An upgrader has the file to itself and gives it back as it found it; a live store is at 91.

use std::time::Duration;

use rex_store::daemon;
use rex_store::error::StoreError;
use rex_store::open::{Live, Upgrader};
use tempfile::tempdir;

use crate::open;

#[test]
fn the_journal_mode_found_is_brought_back() {
    for journal_mode in ["wal", "delete", "truncate"] {
        let folder = tempdir().unwrap();
        let path = folder.path().join("s.db");
        let store = open(&path);
        store
            .query_row(&format!("PRAGMA journal_mode = {journal_mode}"), [], |_| Ok(()))
            .unwrap();
        daemon::create_90(&store).unwrap();
        drop(store);
        let upgrader = Upgrader::open(&path).unwrap();
        let expected = if journal_mode == "wal" { "wal" } else { "delete" };
        assert_eq!(
            upgrader.journal_mode_found(),
            expected,
            "only WAL is written in the file"
        );
        upgrader
            .connection()
            .execute_batch("BEGIN EXCLUSIVE; PRAGMA user_version = 91; COMMIT")
            .unwrap();
        assert!(!folder.path().join("s.db-wal").exists());
        upgrader.restore_journal_mode().unwrap();
        drop(upgrader);
        let mode: String = open(&path)
            .query_row("PRAGMA journal_mode", [], |row| row.get(0))
            .unwrap();
        assert_eq!(mode, expected);
    }
}

#[test]
fn only_an_existing_store_of_version_91_is_opened_live() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("s.db");
    assert_eq!(
        Live::open(&path, Duration::ZERO).unwrap_err().to_string(),
        "cannot open the store"
    );
    assert!(!path.exists(), "nothing is created");
    daemon::create_90(&open(&path)).unwrap();
    let refused = Live::open(&path, Duration::ZERO).unwrap_err();
    assert!(matches!(
        refused,
        StoreError::Version {
            found: 90,
            wanted: 91
        }
    ));
    std::fs::remove_file(&path).unwrap();
    daemon::create_91(&open(&path)).unwrap();
    let live = Live::open(&path, Duration::ZERO).unwrap();
    let keys: bool = live
        .connection()
        .query_row("PRAGMA foreign_keys", [], |row| row.get(0))
        .unwrap();
    assert!(keys);
}
