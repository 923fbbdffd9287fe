//! The upgrade of a review store fails at every operation: the store is old or new, whole.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rex_migrate::engine::{Engine, Keep, Request, Target};
use rex_migrate::error::MigrateError;
use rex_migrate::family::REVIEW;
use rex_migrate::look::Depth;
use rex_migrate::step::Options;
use rex_store::digest::TableDigest;
use tempfile::{TempDir, tempdir};
use testkit::faults::{self, Disk, Fault, Lost, Script};

use super::build;
use crate::crash::faulty_files::FaultyFiles;
use crate::toy;

/// A page cache this small spills into the file long before the commit.
const TINY_CACHE_BYTES: u32 = 32 << 10;

struct Subject {
    original: TempDir,
    old: BTreeMap<String, TableDigest>,
    new: BTreeMap<String, TableDigest>,
}

impl Subject {
    fn new(name: &str) -> Self {
        faults::install();
        let original = tempdir().unwrap();
        build(name, &original.path().join("rex.db"));
        let mut subject = Self {
            original,
            old: BTreeMap::new(),
            new: BTreeMap::new(),
        };
        let (folder, store) = subject.copy();
        subject.old = digests(&store);
        up(&store).unwrap();
        subject.new = digests(&store);
        assert_ne!(subject.old, subject.new);
        drop(folder);
        subject
    }

    fn copy(&self) -> (TempDir, PathBuf) {
        let folder = tempdir().unwrap();
        let store = folder.path().join("rex.db");
        std::fs::copy(self.original.path().join("rex.db"), &store).unwrap();
        (folder, store)
    }

    fn is_new(&self, store: &Path, context: &str) -> bool {
        let found = digests(store);
        assert!(
            found == self.old || found == self.new,
            "{context}: neither old nor new"
        );
        found == self.new
    }

    fn operations(&self) -> u64 {
        let (script, (_folder, store)) = (Script::new(Fault::None), self.copy());
        script.rule(|| up(&store)).unwrap();
        script.count()
    }
}

fn up(store: &Path) -> Result<(), MigrateError> {
    let scratch = tempdir().unwrap();
    let engine = Engine {
        files: &FaultyFiles,
        cache_bytes: TINY_CACHE_BYTES,
        ..Engine::new(REVIEW, scratch.path())
    };
    let look = engine.look(store, &Options::default(), Depth::Full)?;
    let request = Request {
        target: Target::InPlace(Keep::Beside),
        options: Options::default(),
        compact: false,
    };
    engine.up(&look, &request).map(drop)
}

/// The time of rows that the upgrade makes differs from run to run.
fn digests(store: &Path) -> BTreeMap<String, TableDigest> {
    let connection = toy::open(store);
    let tables = crate::fixtures::query(
        &connection,
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')",
    );
    let names = tables
        .iter()
        .flatten()
        .map(|name| name.as_str().unwrap().to_owned());
    let digest = |name: &str| match name {
        "agent_gateway" => rex_store::digest::query(&connection, "SELECT id, name, kind FROM agent_gateway"),
        "thread_session" => rex_store::digest::query(
            &connection,
            "SELECT thread_id, sdk, gateway_id, base_url, session_id FROM thread_session",
        ),
        _ => rex_store::digest::table(&connection, name),
    };
    names
        .filter(|name| name != "sqlite_schema")
        .map(|name| {
            let digest = digest(&name).unwrap();
            (name, digest)
        })
        .collect()
}

#[test]
fn a_failure_at_any_operation_leaves_a_review_store_old_or_new() {
    for name in ["g02", "g07", "g11"] {
        let subject = Subject::new(name);
        let operations = subject.operations();
        let mut seen = [0, 0];
        for at in 1..=operations {
            for fault in [Fault::Once(at), Fault::From(at)] {
                let context = format!("{name}: operation {at} of {operations}");
                let (_folder, store) = subject.copy();
                let said = Script::new(fault).rule(|| up(&store));
                let is_new = subject.is_new(&store, &context);
                assert!(said.is_err() || is_new, "{context}: said to be done and is not");
                seen[usize::from(is_new)] += 1;
            }
        }
        assert!(seen.iter().all(|count| *count > 0), "{name}: {seen:?}");
    }
}

#[test]
fn a_power_cut_at_any_operation_leaves_a_review_store_old_or_new() {
    let subject = Subject::new("g07");
    let operations = subject.operations();
    for at in 1..=operations {
        let lost = if at % 2 == 0 { Lost::All } else { Lost::Some(at) };
        let ((folder, store), after, graves) = (subject.copy(), tempdir().unwrap(), tempdir().unwrap());
        let disk = Disk::new(folder.path(), after.path(), graves.path(), lost);
        // What it says of a machine without power is nobody's to hear.
        let _said = Script::with_disk(Fault::PowerCut(at), disk).rule(|| up(&store));
        subject.is_new(
            &after.path().join("rex.db"),
            &format!("power cut at {at} of {operations}"),
        );
    }
}
