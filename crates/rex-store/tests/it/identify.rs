//! Every kind of file is told from its bytes alone.

use std::path::Path;

use rex_store::daemon;
use rex_store::error::StoreError;
use rex_store::identify::{Identity, Kind, identify};
use tempfile::tempdir;

use crate::{crash, listing, open};

fn identified(path: &Path) -> Identity {
    let scratch = tempdir().unwrap();
    let before = listing(path.parent().unwrap());
    let identity = identify(path, scratch.path()).unwrap();
    assert_eq!(listing(path.parent().unwrap()), before);
    identity
}

#[test]
fn a_database_is_told_by_its_version_and_its_tables() {
    let daemon_at = |version: i64| format!("{}; PRAGMA user_version = {version}", daemon::SCHEMA_90);
    let cases = [
        (daemon_at(90), Kind::DaemonV90),
        (daemon_at(91), Kind::DaemonV91Unsplit),
        (daemon_at(92), Kind::DaemonNewer(92)),
        (daemon_at(89), Kind::DaemonOlder(89)),
        (daemon_at(-1), Kind::DaemonOlder(-1)),
        (daemon_at(0), Kind::DaemonUnversioned),
        ("CREATE TABLE documents(a)".to_owned(), Kind::NotOurs),
        (
            "CREATE TABLE documents(a); PRAGMA user_version = 90".to_owned(),
            Kind::NotOurs,
        ),
        ("CREATE TABLE gone(a); DROP TABLE gone".to_owned(), Kind::Empty),
    ];
    for (sql, expected) in cases {
        let folder = tempdir().unwrap();
        let path = folder.path().join("s.db");
        open(&path).execute_batch(&sql).unwrap();
        let identity = identified(&path);
        assert_eq!(
            identity.kind,
            expected,
            "{}",
            sql.lines().last().unwrap_or_default()
        );
        assert_eq!(identity.bytes, std::fs::metadata(&path).unwrap().len());
    }
    let folder = tempdir().unwrap();
    let path = folder.path().join("s.db");
    daemon::create_91(&open(&path)).unwrap();
    assert_eq!(identified(&path).kind, Kind::DaemonV91);
}

#[test]
fn a_version_that_only_the_wal_holds_counts() {
    let (folder, crashed) = (tempdir().unwrap(), tempdir().unwrap());
    let path = folder.path().join("s.db");
    let store = open(&path);
    store
        .query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
        .unwrap();
    daemon::create_90(&store).unwrap();
    store.execute_batch("PRAGMA user_version = 95").unwrap();
    let identity = identified(&crash(&path, crashed.path()));
    assert_eq!(identity.kind, Kind::DaemonNewer(95));
    assert!(identity.wal_bytes > 0);
}

#[test]
fn what_is_no_database_is_told_from_what_looks_encrypted() {
    let mut state = 1_u64;
    let mut noise = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let noise: Vec<u8> = (0..8192).map(|_| noise()).collect();
    let header = b"SQLite format 3\0".to_vec();
    let cases = [
        ("nothing in it", Vec::new(), Kind::Empty),
        ("text", b"just a letter".to_vec(), Kind::NotADatabase),
        ("long text", b"just a letter ".repeat(1024), Kind::NotADatabase),
        ("zeros", vec![0; 4096], Kind::NotADatabase),
        ("the magic and no more", header, Kind::NotADatabase),
        ("noise in whole blocks", noise.clone(), Kind::EncryptedLooking),
        (
            "noise in one block",
            noise.iter().take(512).copied().collect(),
            Kind::EncryptedLooking,
        ),
        (
            "noise of an odd length",
            noise.iter().take(5000).copied().collect(),
            Kind::NotADatabase,
        ),
    ];
    for (name, bytes, expected) in cases {
        let folder = tempdir().unwrap();
        let path = folder.path().join("s.db");
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(identified(&path).kind, expected, "{name}");
    }
}

#[test]
fn what_is_no_file_is_an_error() {
    let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
    let missing = identify(&folder.path().join("missing"), scratch.path()).unwrap_err();
    assert_eq!(missing.hint(), Some("check the path"));
    let directory = identify(folder.path(), scratch.path()).unwrap_err();
    assert!(matches!(
        directory,
        StoreError::NotAFile {
            found: "directory",
            ..
        }
    ));
}
