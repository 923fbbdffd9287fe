//! A store that another process holds is told apart, and the holder is named.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use rex_store::error::StoreError;
use rex_store::open::{Upgrader, holders};
use tempfile::tempdir;

use crate::open;

/// Run by the test below in a process of its own: holds `held.db` until its input ends.
#[test]
#[ignore = "it is the other process of another test"]
fn holds_the_store_in_the_current_folder() {
    let store = open("held.db".as_ref());
    store
        .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t(a); BEGIN; SELECT * FROM t")
        .unwrap();
    println!("held");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn the_holder_is_named() {
    let folder = tempdir().unwrap();
    let mut other = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "--ignored",
            "--nocapture",
            "holder::holds_the_store_in_the_current_folder",
        ])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(other.stdout.take().unwrap());
    let mut said = String::new();
    while !said.contains("held") && output.read_line(&mut said).unwrap() > 0 {}
    assert!(said.contains("held"), "the other process holds the store");
    let store = folder.path().join("held.db");
    let pids: Vec<u32> = holders(&store).into_iter().map(|holder| holder.pid).collect();
    assert_eq!(pids, [other.id()]);
    let refused = Upgrader::open(&store).unwrap_err();
    let named = format!("(process {})", other.id());
    assert!(
        matches!(refused, StoreError::Held { .. }) && refused.to_string().ends_with(&named),
        "{refused}"
    );
    drop(other.stdin.take());
    output.read_to_string(&mut said).unwrap();
    assert!(other.wait().unwrap().success());
    assert!(holders(&store).is_empty());
    drop(Upgrader::open(&store).unwrap());
}
