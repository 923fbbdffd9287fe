//! What operations cost by SQLite's own counters: the same at any size, and hardly more than the least by hand.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rex_store::daemon::{End, LiveWriter, Request, Submitted};
use rex_store::open::Live;
use rusqlite::StatementStatus;
use rusqlite::trace::{TraceEvent, TraceEventCodes};
use tempfile::TempDir;
use testkit::faults::{Fault, Script};

#[path = "../../../benches/submission/least.rs"]
mod least;
#[path = "../../../benches/submission/store.rs"]
mod store;

use least::{Known, Least};

/// Steps of SQLite's virtual machine by statement: the newest count and the sum since it was last asked.
type Steps = Arc<Mutex<HashMap<String, (i64, i64)>>>;

struct Counted {
    writer: LiveWriter,
    steps: Steps,
    /// How often a statement had to be prepared anew.
    prepared_anew: Arc<AtomicI32>,
    path: PathBuf,
    _folder: TempDir,
}

impl Counted {
    fn new(messages: i64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        store::fill(&path, messages);
        let live = Live::open(&path, Duration::ZERO).unwrap();
        let mut writer = LiveWriter::new(live, 99);
        let steps = Steps::default();
        let sink = Arc::clone(&steps);
        let prepared_anew = Arc::new(AtomicI32::new(0));
        let anew = Arc::clone(&prepared_anew);
        let count = move |event: TraceEvent<'_>| {
            if let TraceEvent::Profile(statement, _) = event {
                let now = i64::from(statement.get_status(StatementStatus::VmStep));
                anew.fetch_max(
                    statement.get_status(StatementStatus::RePrepare),
                    Ordering::Relaxed,
                );
                let mut steps = sink.lock().unwrap();
                let (before, sum) = steps.entry(statement.sql().into_owned()).or_default();
                // A statement that was prepared anew counts from zero.
                *sum += if now >= *before { now - *before } else { now };
                *before = now;
            }
        };
        writer
            .connection()
            .trace_v2(TraceEventCodes::SQLITE_TRACE_PROFILE, Some(count))
            .unwrap();
        Self {
            writer,
            steps,
            prepared_anew,
            path,
            _folder: folder,
        }
    }

    /// Runs something and returns its steps; once before, so that everything is prepared.
    fn steps<T>(&mut self, run: impl FnOnce(&mut LiveWriter) -> T) -> (i64, T) {
        let taken = |steps: &Steps| {
            steps
                .lock()
                .unwrap()
                .values_mut()
                .map(|(_, sum)| std::mem::take(sum))
                .sum()
        };
        let _before: i64 = taken(&self.steps);
        let done = run(&mut self.writer);
        (taken(&self.steps), done)
    }
}

fn request<'a>(bot: &'a str, delivery: &'a str, request_id: &'a str) -> Request<'a> {
    Request {
        bot,
        request_id,
        words: request_id.as_bytes(),
        delivery,
        ..Request::default()
    }
}

fn number(submitted: Submitted) -> i64 {
    match submitted {
        Submitted::Started { turn } => turn,
        Submitted::InLine { number, .. } => number,
        Submitted::Resent(resent) => resent.number,
    }
}

/// One life of a message of every kind, twice: first to prepare every statement, then counted.
fn life(counted: &mut Counted, bot: &str) -> Vec<(&'static str, i64)> {
    let mut counts = Vec::new();
    let (steps, run) = counted.steps(|w| number(w.submit(&request(bot, "reject", "a"), 1).unwrap()));
    counts.push(("submit", steps));
    counts.push((
        "resend",
        counted
            .steps(|w| w.submit(&request(bot, "reject", "a"), 1).unwrap())
            .0,
    ));
    counts.push((
        "steer",
        counted
            .steps(|w| w.submit(&request(bot, "steer", "b"), 2).unwrap())
            .0,
    ));
    counts.push(("take_in", counted.steps(|w| w.take_in(run, 3).unwrap()).0));
    counts.push((
        "queue",
        counted
            .steps(|w| w.submit(&request(bot, "queue", "c"), 4).unwrap())
            .0,
    ));
    let (steps, ready) = counted.steps(|w| w.finish(run, End::Completed, 5).unwrap().unwrap());
    counts.push(("finish", steps));
    counts.push(("start", counted.steps(|w| w.start_next(6).unwrap().unwrap()).0));
    counts.push((
        "list",
        counted.steps(|w| w.read().messages(bot, i64::MAX, 10).unwrap()).0,
    ));
    counts.push((
        "turns",
        counted.steps(|w| w.read().turns(bot, i64::MAX, 10).unwrap()).0,
    ));
    counts.push(("quote", counted.steps(|w| w.read().quote(bot, run).unwrap()).0));
    counts.push(("wait", counted.steps(|w| w.read().wait(bot, run).unwrap()).0));
    let (_, last) = counted.steps(|w| number(w.submit(&request(bot, "queue", "d"), 7).unwrap()));
    counts.push(("withdraw", counted.steps(|w| w.withdraw(bot, last, 8).unwrap()).0));
    counts.push((
        "end",
        counted.steps(|w| w.finish(ready, End::Interrupted, 9).unwrap()).0,
    ));
    counts.push(("prune", counted.steps(|w| w.prune(bot, 3).unwrap()).0));
    counts
}

#[test]
fn every_operation_takes_the_same_steps_in_a_store_ten_times_as_large() {
    let [small, large] = [720, 7_200].map(|messages| {
        let mut counted = Counted::new(messages);
        life(&mut counted, "b1");
        // So that there is as much to prune in both.
        while counted.writer.prune("b2", 8).unwrap().more {}
        let counts = life(&mut counted, "b2");
        let anew = counted.prepared_anew.load(Ordering::Relaxed);
        assert_eq!(anew, 0, "a cached statement keeps its plan");
        counts
    });
    assert_eq!(small, large);
    assert!(small.iter().all(|(_, steps)| *steps > 10), "{small:?}");
    let steps = |name| small.iter().find(|(found, _)| *found == name).unwrap().1;
    assert!(steps("resend") * 6 <= steps("submit"), "{small:?}");
}

/// Empties the WAL, runs something, and returns what it added to it and how many operations storage saw.
fn storage(path: &Path, connection: &rusqlite::Connection, run: impl FnOnce()) -> (u64, u64) {
    connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    let script = Script::new(Fault::None);
    script.rule(run);
    let wal = std::fs::metadata(path.with_extension("db-wal")).unwrap();
    (wal.len(), script.count())
}

#[test]
fn a_submission_writes_and_syncs_what_the_least_by_hand_does() {
    testkit::faults::install();
    let mut counted = Counted::new(7_200);
    life(&mut counted, "b1");
    let path = counted.path.clone();
    let looker = crate::open(&path);
    let ours = storage(&path, &looker, || {
        counted
            .writer
            .submit(&request("b3", "reject", "same-words"), 9)
            .unwrap();
    });
    let other = Counted::new(7_200);
    let live = Live::open(&other.path, Duration::ZERO).unwrap();
    let mut least = Least::new(live.connection()).unwrap();
    let mut known = Known {
        head: Some(7_164),
        total_bytes: 1000,
        depth: 179,
        ordinal: 180,
    };
    least
        .submit("b1", "prepare", "prepare", &mut known.clone(), 9)
        .unwrap();
    let hand = storage(&other.path, &crate::open(&other.path), || {
        least
            .submit("b3", "same-words", "same-words", &mut known, 9)
            .unwrap();
    });
    assert_eq!(ours, hand, "bytes of the WAL, and operations with their syncs");
    assert!(ours.0 > 4096 && ours.1 > 3, "{ours:?}");
}
