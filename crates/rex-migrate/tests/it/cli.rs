//! The command line as a person sees it: whole blocks of standard output, standard error and exit status.

use std::process::Command;
use std::sync::Arc;

use insta::{assert_snapshot, with_settings};
use rex_migrate::cli::Session;
use rex_migrate::clock::SystemClock;
use rex_migrate::files::SystemFiles;
use rex_migrate::progress::Silent;
use tempfile::{TempDir, tempdir};

use crate::crash::small;
use crate::engine::listing;
use crate::toy;

/// A folder with the small store at 90, and a scratch folder.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
    scratch: TempDir,
}

impl Place {
    pub(crate) fn empty() -> Self {
        Self {
            folder: tempdir().unwrap(),
            scratch: tempdir().unwrap(),
        }
    }

    fn with_store() -> Self {
        let place = Self::empty();
        small::store(&place.folder.path().join("bots.db"), "DELETE");
        place
    }

    /// Runs the tool in the folder, in an environment of its own, and renders what it did as one block.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_rex-migrate"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("TMPDIR", self.scratch.path())
            .output()
            .unwrap();
        let real = self.folder.path().canonicalize().unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|bytes| {
            String::from_utf8(bytes)
                .unwrap()
                .replace(real.to_str().unwrap(), "/home/ada")
        });
        let status = output.status.code().unwrap();
        let rule = if err.is_empty() {
            ""
        } else {
            "------- stderr -------\n"
        };
        assert_eq!(
            std::fs::read_dir(self.scratch.path()).unwrap().count(),
            0,
            "the scratch folder is empty again"
        );
        format!(
            "$ rex-migrate {}\n{out}{rule}{err}[exit status: {status}]\n",
            arguments.join(" ")
        )
    }
}

/// What differs from run to run and from machine to machine.
const VARIES: [(&str, &str); 9] = [
    (r"\d{8}T\d{6}Z", "YYYYMMDDTHHMMSSZ"),
    (r"in \d+\.\d+ seconds", "in N seconds"),
    (r"(CPU +)\d+\.\d+", "${1}N"),
    (r"(expected +)\d+\.\d+", "${1}N"),
    (r"((?:written|peak memory) +)\d+ \w+", "${1}N bytes"),
    (r", \d+ \w+ are free", ", N bytes are free"),
    (
        r#"("(?:seconds|cpu_seconds|seconds_expected)": )[\d.]+"#,
        "${1}0.5",
    ),
    (
        r#"("(?:bytes_written|peak_memory_bytes|disk_free_bytes)": )\d+"#,
        "${1}0",
    ),
    (r#"("digest": ")[0-9a-f]{64}"#, "${1}D"),
];

fn snapshot(name: &str, block: &str) {
    with_settings!({ filters => VARIES, prepend_module_to_snapshot => false, snapshot_path => "snapshots" }, {
        assert_snapshot!(name, block);
    });
}

#[test]
fn the_life_of_an_upgrade() {
    let place = Place::with_store();
    let mut blocks = String::new();
    for arguments in [
        &["status", "bots.db"][..],
        &["plan", "bots.db"],
        &["explain", "bots.db", "Ada/2"],
        &["up", "bots.db"],
        &["up", "--dry-run", "bots.db"],
        &["up", "--yes", "bots.db"],
        &["up", "--yes", "bots.db"],
        &["status", "bots.db"],
        &["verify", "bots.db"],
        &["explain", "bots.db", "Ada/2"],
        &["explain", "bots.db", "Ada/99"],
        &["explain", "bots.db", "--list", "own"],
        &["restore", "bots.db"],
        &["status", "bots.db"],
    ] {
        blocks.push_str(&place.run(arguments));
        blocks.push('\n');
    }
    snapshot("life", &blocks);
}

#[test]
fn every_json_begins_with_its_schema() {
    let place = Place::with_store();
    let mut blocks = String::new();
    for (arguments, schema) in [
        (&["status", "--json", "bots.db"][..], "rex-migrate.status/1"),
        (&["plan", "--json", "bots.db"], "rex-migrate.plan/1"),
        (&["plan", "--full", "--json", "bots.db"], "rex-migrate.plan/1"),
        (
            &["explain", "--json", "bots.db", "Ada/2"],
            "rex-migrate.explain/1",
        ),
        (
            &["explain", "--json", "bots.db", "--list", "e"],
            "rex-migrate.explain/1",
        ),
        (&["up", "--yes", "--json", "bots.db"], "rex-migrate.receipt/1"),
        (&["up", "--yes", "--json", "bots.db"], "rex-migrate.receipt/1"),
        (&["verify", "--json", "bots.db"], "rex-migrate.verify/1"),
    ] {
        let block = place.run(arguments);
        let json = block.split_once('\n').unwrap().1;
        assert!(
            json.starts_with(&format!("{{\n  \"schema\": \"{schema}\",\n")),
            "{block}"
        );
        blocks.push_str(&block);
        blocks.push('\n');
    }
    snapshot("json", &blocks);
}

#[test]
fn a_wrong_command_line_is_said_so() {
    let place = Place::with_store();
    let before = listing(place.folder.path());
    let mut blocks = String::new();
    for arguments in [
        &["up"][..],
        &["up", "--dry-run", "--to", "x", "bots.db"],
        &["explain", "bots.db", "turn"],
        &["explain", "bots.db", "--list", "nobody"],
        &["schema", "--version", "7"],
    ] {
        blocks.push_str(&place.run(arguments));
        blocks.push('\n');
    }
    snapshot("usage", &blocks);
    assert_eq!(listing(place.folder.path()), before);
}

#[test]
fn what_only_looks_leaves_no_trace() {
    for journal_mode in ["DELETE", "WAL"] {
        let place = Place::empty();
        small::store(&place.folder.path().join("bots.db"), journal_mode);
        let before = listing(place.folder.path());
        for arguments in [
            &["status", "bots.db"][..],
            &["plan", "bots.db"],
            &["plan", "--full", "bots.db"],
            &["up", "--dry-run", "bots.db"],
            &["verify", "bots.db"],
            &["explain", "bots.db", "Ada/1"],
            &["explain", "bots.db", "--list", "d"],
        ] {
            let block = place.run(arguments);
            assert!(block.ends_with("[exit status: 0]\n"), "{block}");
            assert_eq!(listing(place.folder.path()), before, "{block}");
        }
    }
}

#[test]
fn a_fixture_is_tried_without_a_store() {
    let place = Place::empty();
    let connection = toy::open(&place.folder.path().join("made.db"));
    rex_store::daemon::create_90(&connection).unwrap();
    let sql = format!(
        "{}\nPRAGMA user_version = 90;\n{}",
        rex_store::daemon::SCHEMA_90,
        small::ROWS
    );
    std::fs::write(place.folder.path().join("bots.sql"), sql).unwrap();
    let block = place.run(&["up", "--dry-run", "bots.sql"]);
    assert!(block.contains("could be upgraded  from 90 to 91"), "{block}");
    assert_eq!(
        block.matches("bots.sql").count(),
        3,
        "the command, the plan and the receipt name it: {block}"
    );
    assert!(
        !block.contains(&*place.scratch.path().to_string_lossy()),
        "{block}"
    );
    std::fs::write(place.folder.path().join("broken.sql"), "CREATE TABLE;").unwrap();
    let block = place.run(&["up", "--dry-run", "broken.sql"]);
    assert!(block.contains("error: cannot load broken.sql\n"), "{block}");
    assert!(block.ends_with("[exit status: 3]\n"), "{block}");
}

#[test]
fn a_name_that_is_not_utf_8_is_no_reason_to_fail() {
    use std::os::unix::ffi::OsStrExt as _;
    let place = Place::empty();
    let store = place.folder.path().join(std::ffi::OsStr::from_bytes(b"\xff.db"));
    small::store(&store, "DELETE");
    for arguments in [
        ["up", "--yes", "--json"].as_slice(),
        &["status", "--json"],
        &["plan", "--json"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_rex-migrate"))
            .args(arguments)
            .arg(&store)
            .env_clear()
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?} {output:?}");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let named = json["store"].as_str().unwrap();
        assert!(named.ends_with("/\u{fffd}.db"), "{named}");
    }
}

#[test]
fn a_held_store_is_left_alone_and_its_holder_named() {
    for journal_mode in ["DELETE", "WAL"] {
        let place = Place::empty();
        let store = place.folder.path().join("bots.db");
        small::store(&store, journal_mode);
        let before = listing(place.folder.path());
        let connection = toy::open(&store);
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        // Reading the folder here would open and close the store, and with that drop this process's lock on it.
        let block = place.run(&["up", "--yes", "bots.db"]);
        assert!(
            block.contains(&format!("(process {})", std::process::id())),
            "{block}"
        );
        assert!(block.contains("\nhint: "), "{block}");
        assert!(block.ends_with("[exit status: 5]\n"), "{block}");
        drop(connection);
        assert_eq!(listing(place.folder.path()), before);
    }
}

#[test]
fn a_restore_brings_the_old_bytes_back_and_keeps_the_new_ones() {
    let place = Place::with_store();
    let store = place.folder.path().join("bots.db");
    let old = std::fs::read(&store).unwrap();
    place.run(&["up", "--yes", "-q", "bots.db"]);
    let new = std::fs::read(&store).unwrap();
    let block = place.run(&["restore", "bots.db"]);
    assert!(block.ends_with("[exit status: 0]\n"), "{block}");
    assert_eq!(std::fs::read(&store).unwrap(), old);
    let files = listing(place.folder.path());
    assert_eq!(
        files.len(),
        4,
        "store, backup, receipt, the upgraded file: {:?}",
        files.keys()
    );
    let aside = files
        .iter()
        .find(|(name, _)| name.starts_with("bots.db.upgraded-"))
        .unwrap();
    assert!(aside.1.0 == new);
}

#[test]
fn a_damaged_backup_is_not_restored() {
    let place = Place::with_store();
    place.run(&["up", "--yes", "-q", "bots.db"]);
    let files = listing(place.folder.path());
    let name = files
        .keys()
        .find(|name| name.contains(".backup-v90-") && !name.contains(".receipt"))
        .unwrap();
    let backup = place.folder.path().join(name);
    let mut bytes = std::fs::read(&backup).unwrap();
    bytes[2000] ^= 1;
    std::fs::write(&backup, bytes).unwrap();
    let before = listing(place.folder.path());
    let block = place.run(&["restore", "bots.db"]);
    assert!(
        block.contains("does not have the digest that its receipt names"),
        "{block}"
    );
    assert!(block.ends_with("[exit status: 3]\n"), "{block}");
    std::fs::remove_file(place.folder.path().join(format!("{name}.receipt.json"))).unwrap();
    let block = place.run(&["restore", "bots.db"]);
    assert!(block.contains("has no receipt"), "{block}");
    assert_eq!(listing(place.folder.path()).len(), before.len() - 1);
}

#[test]
fn completions_and_manual_pages_come_from_the_parser() {
    let place = Place::empty();
    assert!(place.run(&["completions", "bash"]).contains("complete -F"));
    assert!(place.run(&["manual", "up"]).contains(".SH SYNOPSIS"));
}

/// Answers the question as a person at a terminal would, without one.
fn answered(answer: &str) -> (u8, String, String) {
    let (folder, scratch) = (tempdir().unwrap(), tempdir().unwrap());
    let store = folder.path().join("bots.db");
    small::store(&store, "DELETE");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut session = Session {
        out: Box::new(&mut out),
        err: Box::new(&mut err),
        input: Box::new(answer.as_bytes()),
        can_ask: true,
        scratch: scratch.path().to_owned(),
        clock: &SystemClock,
        files: &SystemFiles,
        progress: Arc::new(Silent),
    };
    let arguments = ["rex-migrate".into(), "up".into(), store.into_os_string()];
    let status = rex_migrate::cli::main(arguments, &mut session);
    drop(session);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status, text(out), text(err))
}

#[test]
fn a_person_is_asked_before_anything_is_written() {
    let (status, out, err) = answered("y\n");
    assert!(err.contains("with a backup beside it? [y/N] "), "{err}");
    assert!(status == 0 && out.contains("upgraded"), "{out}");
    for answer in ["n\n", "", "maybe\n"] {
        let (status, out, err) = answered(answer);
        assert_eq!((status, &*out), (3, ""), "{answer:?}");
        assert!(err.contains("nothing was changed, as you said"), "{err}");
    }
}
