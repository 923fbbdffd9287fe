//! The upgrade of thousands of generated stores, held against what the model knows and against the rules themselves.
//!
//! One seed is tried with `REX_SEED=N cargo test -p rex-bench properties`, more of them with `REX_SEEDS=FROM..TO`.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rex_bench::generate::Dice;
use rex_bench::generate::daemon::{self, Mix, Truth};
use rex_migrate::progress::Silent;
use rex_migrate::step::{How, Options, Work};
use rusqlite::Connection;
use rusqlite::backup::Backup;
use serde_json::{Map, Value};

mod attribution;
#[expect(
    clippy::indexing_slicing,
    reason = "a query says how many values its rows have"
)]
mod conservation;
#[expect(
    clippy::indexing_slicing,
    reason = "a query says how many values its rows have"
)]
mod rows;

/// Seeds that once failed, tried first.
const ONCE_FAILED: &str = include_str!("../../../../fixtures/daemon/seeds.txt");

/// How many stores every run of the tests tries, and how many with steps of the clock that do not show.
const SEEDS: std::ops::Range<u64> = 0..2_000;
const HIDDEN_SEEDS: std::ops::Range<u64> = 1_000_000..1_000_200;

/// A generated store before and behind the step.
pub(crate) struct Upgraded {
    old: Connection,
    new: Connection,
    report: Map<String, Value>,
    truth: Truth,
}

/// What went wrong, in words.
type Verdict = Result<(), String>;

fn upgrade(mix: &Mix, seed: u64) -> Result<Upgraded, String> {
    let text = |error: rusqlite::Error| error.to_string();
    let old = Connection::open_in_memory().map_err(text)?;
    let truth = daemon::generate(&old, mix, seed, &mut |_| {}).map_err(text)?;
    let mut new = Connection::open_in_memory().map_err(text)?;
    Backup::new(&old, &mut new)
        .and_then(|backup| backup.run_to_completion(1_000_000, Duration::ZERO, None))
        .map_err(text)?;
    new.pragma_update(None, "foreign_keys", false).map_err(text)?;
    let [step] = rex_migrate::steps::ALL else {
        return Err("one step is known".to_owned());
    };
    let How::Code { look, apply } = step.how else {
        return Err("the split is code".to_owned());
    };
    let options = Options::default();
    let refusals = look(&new, &options).map_err(|error| error.to_string())?;
    if !refusals.is_empty() {
        return Err(format!("refused: {refusals:?}"));
    }
    new.execute_batch("BEGIN").map_err(text)?;
    let work = Work {
        connection: &new,
        options: &options,
        progress: &Silent,
        now: jiff::Timestamp::UNIX_EPOCH,
    };
    let outcome =
        apply(&work).map_err(|error| format!("{error}: {:?}", std::error::Error::source(&error)))?;
    new.execute_batch("PRAGMA user_version = 91; COMMIT")
        .map_err(text)?;
    Ok(Upgraded {
        old,
        new,
        report: outcome.report,
        truth,
    })
}

/// Everything that must hold of one seed; returns the wrong names, which only a hidden step excuses.
fn try_seed(seed: u64, hidden_clock: bool) -> Result<u64, String> {
    let mix = Mix::random(&mut Dice::new(seed), hidden_clock);
    let upgraded = upgrade(&mix, seed)?;
    let wrong = attribution::check(&upgraded, hidden_clock)?;
    conservation::check(&upgraded)?;
    Ok(wrong)
}

/// Tries seeds on two threads and returns the wrong names.
fn try_all(seeds: &[u64], hidden_clock: bool) -> u64 {
    let (next, wrong) = (AtomicU64::new(0), AtomicU64::new(0));
    let failed: Mutex<Vec<String>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed) as usize) {
                    match try_seed(*seed, hidden_clock) {
                        Ok(names) => drop(wrong.fetch_add(names, Ordering::Relaxed)),
                        Err(why) => failed
                            .lock()
                            .expect("no thread panics")
                            .push(format!("seed {seed}: {why}")),
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no thread panics");
    assert!(
        failed.is_empty(),
        "{} of {} seeds fail; try one with REX_SEED=N, and add it to fixtures/daemon/seeds.txt:\n{}",
        failed.len(),
        seeds.len(),
        failed.iter().take(20).cloned().collect::<Vec<_>>().join("\n")
    );
    wrong.into_inner()
}

/// The seeds that the environment asks for, or those that failed once and then `range`.
#[expect(clippy::disallowed_methods, reason = "a test is its own command line")]
fn seeds(range: std::ops::Range<u64>) -> Vec<u64> {
    if let Some(seed) = std::env::var("REX_SEED").ok().and_then(|seed| seed.parse().ok()) {
        return vec![seed];
    }
    let asked = std::env::var("REX_SEEDS").ok();
    if let Some((from, to)) = asked.as_deref().and_then(|asked| asked.split_once("..")) {
        let number = |text: &str| text.parse().expect("REX_SEEDS is FROM..TO");
        return (number(from)..number(to)).collect();
    }
    let failed = ONCE_FAILED
        .lines()
        .filter_map(|line| line.split_whitespace().next()?.parse().ok());
    failed.chain(range).collect()
}

#[test]
fn surviving_evidence_names_the_right_run_and_node_and_nothing_is_lost() {
    assert_eq!(
        try_all(&seeds(SEEDS), false),
        0,
        "wrong names are failures where every step of the clock shows"
    );
}

#[test]
fn clocks_that_step_back_without_a_trace_break_nothing_but_names() {
    let seeds = seeds(HIDDEN_SEEDS);
    let wrong = try_all(&seeds, true);
    println!(
        "{wrong} wrong names in {} stores whose clocks stepped back without a trace",
        seeds.len()
    );
}
