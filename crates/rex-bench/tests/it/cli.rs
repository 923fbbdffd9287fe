//! The command line as a shell sees it.

use std::path::Path;
use std::process::{Command, Output};

use rex_store::digest;
use rusqlite::{Connection, OpenFlags};

fn bench(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rex-bench"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .output()
        .expect("the program runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// One digest of all that a store holds.
fn content(path: &Path) -> String {
    let store = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("the store opens");
    let tables = [
        "turns",
        "nodes",
        "events",
        "bots",
        "retained_turns",
        "senders",
        "tools",
        "turn_sequence",
    ];
    let digests = tables.map(|table| {
        let digest = digest::table(&store, table).expect("a digest");
        format!(
            "{table} {} {}",
            digest.rows,
            digest.digest.map(|byte| format!("{byte:02x}")).concat()
        )
    });
    digests.join("\n")
}

#[test]
fn a_seed_gives_the_same_content_on_every_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    for out in ["one.db", "two.db"] {
        let arguments = [
            "generate", "daemon", "chat", "--rows", "60", "--seed", "7", "--bots", "4", out,
        ];
        let output = bench(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    let (one, two) = (
        content(&folder.path().join("one.db")),
        content(&folder.path().join("two.db")),
    );
    assert_eq!(one, two);
    assert_eq!(one, CONTENT);
}

const CONTENT: &str = "\
turns 60 0ee08bf2b6a8be86c0c7c966eaaa8dc6
nodes 108 a50c5bd0cafbeb7aad5248bd55409c84
events 232 f7925db7a9dc8365a971ccd77dde314d
bots 4 c72c5052d2f91d10039fd6e3ff2f06f0
retained_turns 60 9870aace5bb578d93e019ce69967c215
senders 1 6cd13d67bddc5769d8349e658ea42f85
tools 5 431349e4ef4600ce1b2743248138b6b0
turn_sequence 1 5e36370a1a9d1ec4bebb5d1f44fad65f";

#[test]
fn an_existing_file_is_never_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("mine.db"), "mine").expect("a file");
    for arguments in [
        ["generate", "daemon", "chat", "--rows", "5", "mine.db"].as_slice(),
        &[
            "generate", "daemon", "chat", "--rows", "5", "--truth", "mine.db", "other.db",
        ],
        &["generate", "sessions", "--bytes", "1kB", "mine.db"],
    ] {
        let output = bench(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        assert_eq!(
            stderr(&output),
            "error: mine.db exists already\nhint: choose another name, or remove it first\n"
        );
    }
    assert_eq!(names(folder.path()), ["mine.db"]);
    assert_eq!(
        std::fs::read_to_string(folder.path().join("mine.db")).expect("a file"),
        "mine"
    );
}

#[test]
fn a_folder_that_is_not_there_is_an_error_that_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = bench(
        folder.path(),
        &["generate", "daemon", "chat", "--rows", "5", "none/out.db"],
    );
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).starts_with("error: cannot create a file beside none/out.db\ncaused by: "));
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn the_truth_lists_every_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = [
        "generate",
        "daemon",
        "ties",
        "--rows",
        "40",
        "--bots",
        "2",
        "--truth",
        "truth.json",
        "out.db",
    ];
    let output = bench(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = std::fs::read_to_string(folder.path().join("truth.json")).expect("the truth");
    assert!(text.starts_with(r#"{"schema":"rex-bench.truth/1""#));
    let truth: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(truth["messages"].as_array().map(Vec::len), Some(40));
    assert_eq!(names(folder.path()), ["out.db", "truth.json"]);
}

#[test]
fn usage_and_help_have_their_exit_status() {
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, status) in [
        (["--help"].as_slice(), 0),
        (&["generate", "daemon", "--help"], 0),
        (&["completions", "bash"], 0),
        (&[], 2),
        (&["generate", "daemon", "cubes", "out.db"], 2),
        (&["generate", "daemon", "chat", "--rows", "0", "out.db"], 2),
    ] {
        let output = bench(folder.path(), arguments);
        assert_eq!(
            output.status.code(),
            Some(status),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
}
