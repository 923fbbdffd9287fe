//! What a submission and a resend cost, beside the least transaction by hand that writes the same rows.
//!
//! With `--count WHAT TIMES MESSAGES` it does one thing so many times and nothing else, for a counter of instructions:
//! the difference of two counts is what the additional times cost.
#![expect(clippy::expect_used, reason = "a bench that cannot go on stops")]

mod least;
mod store;

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group};
use rex_store::daemon::{LiveWriter, Request, Submitted};
use rex_store::open::Live;

use least::{Known, Least};

const SIZES: [i64; 2] = [7_200, 72_000];
const WORDS: &str = "words of a median message, some hundred and twenty bytes of them, as people write when they ask for something small";

fn request<'a>(bot: &'a str, request_id: &'a str) -> Request<'a> {
    Request {
        bot,
        request_id,
        words: WORDS.as_bytes(),
        delivery: "reject",
        ..Request::default()
    }
}

/// Every bot in turn, and a fresh store of its size whenever all are busy.
struct Work {
    folder: tempfile::TempDir,
    messages: i64,
}

impl Work {
    fn new(messages: i64) -> Self {
        let folder = tempfile::tempdir().expect("a scratch folder");
        store::fill(&folder.path().join("s.db"), messages);
        Self { folder, messages }
    }

    fn live(&self) -> Live {
        Live::open(&self.folder.path().join("s.db"), Duration::ZERO).expect("it is there")
    }

    /// The bots as they stand at the head of their lineages.
    fn known(&self) -> Known {
        Known {
            head: Some(self.messages),
            total_bytes: 1000,
            depth: 100,
            ordinal: 100,
        }
    }
}

/// Ends whatever runs, so that the bots can start again; the same for both sides.
const IDLE: &str = "UPDATE turns SET status = 'completed' WHERE status = 'running';
    UPDATE bots SET status = 'completed', running_turn = NULL WHERE running_turn IS NOT NULL;";

fn submit(work: &Work, times: u64) {
    let mut writer = LiveWriter::new(work.live(), u32::MAX);
    for time in 0..times {
        let (bot, request_id) = (format!("b{}", time % store::BOTS as u64), format!("new-{time}"));
        let done = writer
            .submit(&request(&bot, &request_id), 9)
            .expect("the bot is idle");
        assert!(matches!(done, Submitted::Started { .. }));
        if (time + 1) % store::BOTS as u64 == 0 {
            writer
                .connection()
                .execute_batch(IDLE)
                .expect("it can be written");
        }
    }
}

fn by_hand(work: &Work, times: u64) {
    let live = work.live();
    let mut least = Least::new(live.connection()).expect("the schema is there");
    let mut known = work.known();
    for time in 0..times {
        let (bot, request_id) = (format!("b{}", time % store::BOTS as u64), format!("new-{time}"));
        least
            .submit(&bot, &request_id, WORDS, &mut known, 9)
            .expect("it can be written");
        if (time + 1) % store::BOTS as u64 == 0 {
            live.connection().execute_batch(IDLE).expect("it can be written");
        }
    }
}

fn resend(work: &Work, times: u64) {
    let mut writer = LiveWriter::new(work.live(), u32::MAX);
    let sent = request("b0", "resent");
    writer.submit(&sent, 9).expect("the bot is idle");
    for _ in 0..times {
        let done = writer.submit(&sent, 9).expect("it is known");
        assert!(matches!(done, Submitted::Resent(_)));
    }
}

fn nothing(_: &Work, _: u64) {}

type Run = fn(&Work, u64);

const WORK: [(&str, Run); 4] = [
    ("submit", submit),
    ("by_hand", by_hand),
    ("resend", resend),
    ("nothing", nothing),
];

fn submissions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("submission");
    for messages in SIZES {
        for (name, run) in WORK.into_iter().filter(|(name, _)| *name != "nothing") {
            group.bench_function(BenchmarkId::new(name, messages), |bencher| {
                bencher.iter_custom(|times| {
                    let work = Work::new(messages);
                    let start = std::time::Instant::now();
                    run(&work, times);
                    start.elapsed()
                });
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(3));
    targets = submissions
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, flag, what, times, messages, ..] = arguments.as_slice()
        && flag == "--count"
    {
        let number = |text: &str| text.parse::<u32>().expect("a number");
        let run = WORK
            .iter()
            .find(|(name, _)| name == what)
            .expect("submit, by_hand, resend or nothing")
            .1;
        run(&Work::new(number(messages).into()), number(times).into());
        return;
    }
    benches();
    Criterion::default().configure_from_args().final_summary();
}
