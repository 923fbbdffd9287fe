//! The upgrade fails, is killed, loses power and runs out of disk at every operation: the store is old or new, whole.

pub(crate) mod faulty_files;
pub(crate) mod small;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use jiff::Timestamp;
use rex_migrate::clock::{Clock, SystemClock, Usage};
use rex_migrate::engine::{Done, Engine, Keep, Request, Target};
use rex_migrate::error::MigrateError;
use rex_migrate::family::DAEMON;
use rex_migrate::look::Depth;
use rex_migrate::step::Options;
use rex_store::digest::TableDigest;
use tempfile::{TempDir, tempdir};
use testkit::faults::{self, Disk, Fault, Lost, Script};

use crate::toy;
use faulty_files::FaultyFiles;

/// A page cache this small spills into the file long before the commit.
const TINY_CACHE_BYTES: u32 = 32 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Old,
    New,
}

/// One small store and everything that is known of it before and after.
struct Subject {
    original: TempDir,
    old: BTreeMap<String, TableDigest>,
    new: BTreeMap<String, TableDigest>,
    cache_bytes: u32,
}

/// A copy of the store in a folder of its own, for one run.
struct Run {
    folder: TempDir,
    scratch: TempDir,
}

impl Run {
    fn store(&self) -> PathBuf {
        self.folder.path().join("store.db")
    }
}

impl Subject {
    fn new(journal_mode: &str, cache_bytes: u32) -> Self {
        faults::install();
        let original = tempdir().unwrap();
        small::store(&original.path().join("store.db"), journal_mode);
        let mut subject = Self {
            original,
            old: BTreeMap::new(),
            new: BTreeMap::new(),
            cache_bytes,
        };
        let run = subject.run();
        subject.old = digests(&run.store());
        assert_eq!(subject.up(&run).unwrap(), Which::New);
        subject.new = digests(&run.store());
        subject
    }

    fn run(&self) -> Run {
        let run = Run {
            folder: tempdir().unwrap(),
            scratch: tempdir().unwrap(),
        };
        std::fs::copy(self.original.path().join("store.db"), run.store()).unwrap();
        run
    }

    fn up(&self, run: &Run) -> Result<Which, MigrateError> {
        up(&run.store(), run.scratch.path(), self.cache_bytes, &SystemClock)
    }

    /// A second try, in another second: the names of the first try's files may still be taken.
    fn up_later(&self, run: &Run) -> Result<Which, MigrateError> {
        up(&run.store(), run.scratch.path(), self.cache_bytes, &Later)
    }

    /// Opens the store as any program would, and says which of the two it is; anything else is a fault.
    fn which(&self, store: &Path) -> Which {
        let connection = toy::open(store);
        let integrity: String = connection
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(integrity, "ok");
        drop(connection);
        let found = digests(store);
        match () {
            () if found == self.old => Which::Old,
            () if found == self.new => Which::New,
            () => panic!(
                "{} is neither the old store nor the new one: {found:?}",
                store.display()
            ),
        }
    }

    /// Counts the operations of an upgrade without a fault.
    fn operations(&self) -> (u64, u64) {
        let (script, run) = (Script::new(Fault::None), self.run());
        assert_eq!(script.rule(|| self.up(&run)).unwrap(), Which::New);
        (script.count(), script.grown_bytes())
    }

    /// Runs an upgrade under a script and holds what it says against what the store is.
    fn check(&self, script: &Rc<Script>, context: &str) -> Which {
        let run = self.run();
        let said = script.rule(|| self.up(&run));
        let which = self.which(&run.store());
        match said {
            Ok(said) => assert_eq!(said, which, "{context}"),
            Err(MigrateError::Commit { version, .. }) => {
                let new = version == Some(91);
                assert!(
                    version.is_none() || (which == Which::New) == new,
                    "{context}: {version:?}, {which:?}"
                );
            }
            Err(error) => assert_eq!(which, Which::Old, "{context}: {error:?}"),
        }
        if which == Which::Old {
            // What the first try has left behind does not keep the second from succeeding.
            assert_eq!(self.up_later(&run).unwrap(), Which::New, "{context}");
            assert_eq!(self.which(&run.store()), Which::New, "{context}");
        }
        which
    }
}

/// A clock on another day.
struct Later;

impl Clock for Later {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn usage(&self) -> Usage {
        Usage::default()
    }
}

fn up(store: &Path, scratch: &Path, cache_bytes: u32, clock: &dyn Clock) -> Result<Which, MigrateError> {
    let engine = Engine {
        files: &FaultyFiles,
        clock,
        cache_bytes,
        ..Engine::new(DAEMON, scratch)
    };
    let look = engine.look(store, &Options::default(), Depth::Full)?;
    let request = Request {
        target: Target::InPlace(Keep::Beside),
        options: Options::default(),
        compact: false,
    };
    match engine.up(&look, &request)? {
        Done::NothingToDo | Done::Upgraded(_) => Ok(Which::New),
    }
}

fn digests(store: &Path) -> BTreeMap<String, TableDigest> {
    let connection = toy::open(store);
    let mut tables = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .unwrap();
    let tables: Vec<String> = tables
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    tables
        .into_iter()
        .map(|name| {
            (
                name.clone(),
                rex_store::digest::table(&connection, &name).unwrap(),
            )
        })
        .collect()
}

#[test]
fn the_small_store_has_at_most_64_pages() {
    let subject = Subject::new("DELETE", TINY_CACHE_BYTES);
    let connection = toy::open(&subject.run().store());
    let pages: i64 = connection
        .query_row("PRAGMA page_count", [], |row| row.get(0))
        .unwrap();
    assert!(pages <= 64, "{pages} pages");
}

#[test]
fn a_failure_at_any_operation_leaves_the_store_old_or_new() {
    for (journal_mode, cache_bytes) in [
        ("DELETE", TINY_CACHE_BYTES),
        ("WAL", TINY_CACHE_BYTES),
        ("DELETE", 4 << 20),
    ] {
        let subject = Subject::new(journal_mode, cache_bytes);
        let (operations, _) = subject.operations();
        for at in 1..=operations {
            let context = format!("{journal_mode}, cache {cache_bytes}, operation {at} of {operations}");
            subject.check(&Script::new(Fault::Once(at)), &format!("{context} fails"));
            subject.check(
                &Script::new(Fault::From(at)),
                &format!("{context} and all after it fail"),
            );
        }
    }
}

#[test]
fn a_full_disk_leaves_the_store_old_or_new() {
    let subject = Subject::new("DELETE", TINY_CACHE_BYTES);
    let (_, bytes) = subject.operations();
    let mut seen = BTreeMap::new();
    for limit in (0..=bytes).step_by(4096) {
        let which = subject.check(
            &Script::new(Fault::FullAfter(limit)),
            &format!("full after {limit} of {bytes}"),
        );
        *seen.entry(format!("{which:?}")).or_insert(0) += 1;
    }
    assert!(seen.contains_key("Old"), "{seen:?}");
}

#[test]
fn a_power_cut_at_any_operation_leaves_the_store_old_or_new() {
    for (journal_mode, lost) in [
        ("DELETE", None),
        ("WAL", None),
        ("DELETE", Some(20_261_201)),
        ("WAL", Some(91)),
    ] {
        let subject = Subject::new(journal_mode, TINY_CACHE_BYTES);
        let (operations, _) = subject.operations();
        for at in 1..=operations + 1 {
            let lost = lost.map_or(Lost::All, |seed| Lost::Some(seed + at));
            let (run, after, graves) = (subject.run(), tempdir().unwrap(), tempdir().unwrap());
            let disk = Disk::new(run.folder.path(), after.path(), graves.path(), lost);
            let script = Script::with_disk(Fault::PowerCut(at), disk);
            let said = script.rule(|| subject.up(&run));
            if at > operations {
                script.disk().unwrap().borrow_mut().cut();
            }
            let which = subject.which(&after.path().join("store.db"));
            let context = format!("{journal_mode}, power cut at {at} of {operations}, {lost:?}");
            // Once it is said to be done it must be on the disk.
            assert!(
                at <= operations || (said.unwrap(), which) == (Which::New, Which::New),
                "{context}"
            );
        }
    }
}

#[test]
fn a_kill_at_any_operation_leaves_the_store_old_or_new() {
    for journal_mode in ["DELETE", "WAL"] {
        let subject = Subject::new(journal_mode, TINY_CACHE_BYTES);
        let (operations, _) = subject.operations();
        for at in 1..=operations {
            let run = subject.run();
            let child = Command::new(std::env::current_exe().unwrap())
                .args([
                    "--exact",
                    "crash::this_process_is_killed_when_it_is_a_child",
                    "--nocapture",
                ])
                .env("REX_KILL_AT", at.to_string())
                .env("REX_KILL_STORE", run.store())
                .env("REX_KILL_SCRATCH", run.scratch.path())
                .output()
                .unwrap();
            let context = format!("{journal_mode}, killed at {at} of {operations}: {child:?}");
            assert_eq!(child.status.signal(), Some(6), "{context}");
            subject.which(&run.store());
        }
    }
}

#[test]
fn this_process_is_killed_when_it_is_a_child() {
    let [at, store, scratch] = ["REX_KILL_AT", "REX_KILL_STORE", "REX_KILL_SCRATCH"].map(std::env::var_os);
    let (Some(at), Some(store), Some(scratch)) = (at, store, scratch) else {
        return;
    };
    faults::install();
    let at = at.to_str().unwrap().parse().unwrap();
    let done = Script::new(Fault::Kill(at)).rule(|| {
        up(
            Path::new(&store),
            Path::new(&scratch),
            TINY_CACHE_BYTES,
            &SystemClock,
        )
    });
    panic!("the upgrade was not killed: {done:?}");
}

#[test]
fn a_second_process_at_any_moment_is_kept_out_or_has_nothing_to_do() {
    let subject = Subject::new("WAL", TINY_CACHE_BYTES);
    let (run, statuses) = (subject.run(), Rc::new(RefCell::new(BTreeMap::new())));
    let (store, seen) = (run.store(), Rc::clone(&statuses));
    let interrupt = move |number| {
        let other = Command::new(env!("CARGO_BIN_EXE_rex-migrate"))
            .args(["up", "--yes", "--no-backup", "-q"])
            .arg(&store)
            .output()
            .unwrap();
        let status = other.status.code();
        assert!(
            [Some(0), Some(5)].contains(&status),
            "at operation {number}: {other:?}"
        );
        *seen.borrow_mut().entry(status).or_insert(0) += 1;
    };
    // The first operations belong to the look: there the other process may win, and then there is nothing left to do.
    let script = Script::new(Fault::Interrupt(3, Box::new(interrupt)));
    assert_eq!(script.rule(|| subject.up(&run)).unwrap(), Which::New);
    assert_eq!(subject.which(&run.store()), Which::New);
    assert!(!statuses.borrow().is_empty());
}

#[test]
fn of_two_starts_at_once_one_wins() {
    let subject = Subject::new("WAL", TINY_CACHE_BYTES);
    for _ in 0..10 {
        let run = subject.run();
        let mut starts = [(); 2].map(|()| {
            Command::new(env!("CARGO_BIN_EXE_rex-migrate"))
                .args(["up", "--yes", "-q"])
                .arg(run.store())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap()
        });
        let mut statuses = starts.each_mut().map(|child| child.wait().unwrap().code());
        statuses.sort();
        assert!(
            [[Some(0), Some(0)], [Some(0), Some(5)]].contains(&statuses),
            "{statuses:?}"
        );
        assert_eq!(subject.which(&run.store()), Which::New);
        let receipts = std::fs::read_dir(run.folder.path()).unwrap();
        let receipts = receipts.filter(|entry| {
            entry
                .as_ref()
                .unwrap()
                .path()
                .extension()
                .is_some_and(|end| end == "json")
        });
        assert_eq!(receipts.count(), 1, "one upgrade was done");
    }
}
