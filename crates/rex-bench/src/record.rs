//! The measurements page, written from raw records alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::error::BenchError;
use crate::measure::{Pair, Record, Series, Subject, Usage};

mod figures;

use self::figures::{Spread, bytes, count, growth, seconds};

/// Reads every record of a folder, the newest first.
///
/// # Errors
/// [`BenchError::File`], [`BenchError::Record`] for a file that is none.
pub fn read(folder: &Path) -> Result<Vec<Record>, BenchError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| BenchError::File {
            doing: "read",
            path,
            source,
        }
    };
    let mut records: Vec<Record> = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let text = fs::read_to_string(&path).map_err(failed(&path))?;
            records.push(serde_json::from_str(&text).map_err(|source| BenchError::Record { path, source })?);
        }
    }
    records.sort_by(|one, other| other.id.cmp(&one.id));
    Ok(records)
}

/// The whole page.
pub fn page(records: &[Record]) -> String {
    let mut page = String::from(
        "# Measurements\n\n\
         Written by `rex-bench record docs/MEASUREMENTS.md` from the raw records in [`measurements/`](measurements/); \
         not by hand. Timed figures are the median and (lowest–highest) of pairs that alternate in one run.\n\n\
         ## What is currently believed\n\n| figure | value | section |\n| --- | ---: | --- |\n",
    );
    page.push_str(&believed(records));
    for record in records {
        section(&mut page, record);
    }
    page
}

/// The newest figure of every workload and size.
fn believed(records: &[Record]) -> String {
    let mut seen = BTreeSet::new();
    let mut lines = String::new();
    for (record, series) in records
        .iter()
        .flat_map(|record| record.series.iter().map(move |series| (record, series)))
    {
        if seen.insert((&series.workload, series.rows)) {
            let (workload, rows, id) = (&series.workload, count(series.rows), &record.id);
            let (figure, of) = match record.subject {
                Subject::Upgrade => (
                    format!("CPU of an upgrade against `VACUUM INTO`, `{workload}` of {rows} rows"),
                    CPU,
                ),
                Subject::Doctor => (
                    format!("wall time of `check --deep` against `cat`, {workload}"),
                    WALL,
                ),
            };
            let ratio = Spread::of(series.pairs.iter().map(ratio_of(of)));
            add(&mut lines, &format!("| {figure} | {ratio} | [{id}](#{id}) |\n"));
        }
    }
    lines
}

/// One more piece of the page.
fn add(page: &mut String, text: &str) {
    page.push_str(text);
}

fn section(page: &mut String, record: &Record) {
    let machine = &record.machine;
    add(
        page,
        &format!(
            "\n## {}\n\n{}, measured on {}.\n\n",
            record.id, record.title, record.date
        ),
    );
    add(
        page,
        &format!(
            "{} on {}, {}; {}; SQLite {}; {}. Base: {}. Candidate: `{}`.\n\n",
            machine.os,
            machine.arch,
            machine.cpu,
            machine.toolchain,
            machine.sqlite,
            machine.file_system,
            record.base,
            record.candidate
        ),
    );
    if !record.change.is_empty() {
        add(page, &format!("{}\n\n", record.change));
    }
    for series in &record.series {
        match record.subject {
            Subject::Upgrade => pairs(page, series, &record.series),
            Subject::Doctor => looks(page, series),
        }
        phases(page, series);
        commands(page, series);
    }
    if !record.limits.is_empty() {
        add(page, &format!("What this does not show: {}\n\n", record.limits));
    }
    add(page, &format!("To reproduce: `{}`\n", record.command));
}

fn ratio_of(of: impl Fn(&Usage) -> f64) -> impl Fn(&Pair) -> f64 {
    move |pair| of(&pair.candidate) / of(&pair.base).max(f64::MIN_POSITIVE)
}

/// A figure of a pair: its name, where it is found, how it is shown, how it was got.
type Metric = (&'static str, fn(&Usage) -> f64, fn(f64) -> String, &'static str);

const CPU: fn(&Usage) -> f64 = |usage| usage.cpu_seconds;
const WALL: fn(&Usage) -> f64 = |usage| usage.wall_seconds;
const WRITTEN: fn(&Usage) -> f64 = |usage| usage.written_bytes as f64;

/// Counts of a pair.
const COUNTS: [Metric; 2] = [
    ("bytes written", WRITTEN, bytes, "counted, `/proc`"),
    (
        "peak memory",
        |usage| usage.peak_bytes as f64,
        bytes,
        "highest resident, sampled",
    ),
];

/// Times of a pair, which come behind its counts.
const TIMES: [Metric; 2] = [
    ("CPU", CPU, seconds, "user and system of the child"),
    ("wall time", WALL, seconds, "clock; the machine was shared"),
];

fn pairs(page: &mut String, series: &Series, all: &[Series]) {
    add(
        page,
        &format!(
            "### `{}`, {} rows, {} pairs\n\nA store of {}.\n\n| metric | before | after | ratio | how |\n\
         | --- | ---: | ---: | ---: | --- |\n",
            series.workload,
            count(series.rows),
            series.pairs.len(),
            bytes(series.store_bytes as f64)
        ),
    );
    metrics(page, series, &COUNTS);
    metrics(page, series, &TIMES);
    let written = Spread::of(
        series
            .pairs
            .iter()
            .map(|pair| pair.candidate.written_bytes as f64),
    );
    let per_file = written.median / series.store_bytes.max(1) as f64;
    add(
        page,
        &format!("| bytes written per byte of the file | | {per_file:.2} | | counted |\n"),
    );
    let smaller = all
        .iter()
        .find(|other| other.workload == series.workload && other.rows * 10 == series.rows);
    if let Some(smaller) = smaller {
        for (name, of) in [("CPU", CPU), ("bytes written", WRITTEN)] {
            let exponent = growth(smaller, series, of);
            add(
                page,
                &format!(
                    "| growth of {name} from {} rows | | {exponent:.2} | | log10 of the ratio of medians |\n",
                    count(smaller.rows)
                ),
            );
        }
    }
    add(page, "\n");
}

/// A look writes nothing, and its base is several processes: their times alone compare.
fn looks(page: &mut String, series: &Series) {
    let (workload, bytes) = (&series.workload, bytes(series.store_bytes as f64));
    let (logs, pairs) = (count(series.rows), series.pairs.len());
    add(
        page,
        &format!(
            "### {workload}, {pairs} pairs\n\n{bytes} in all files, {logs} logs.\n\n| metric | before | after | ratio | how |\n\
         | --- | ---: | ---: | ---: | --- |\n"
        ),
    );
    metrics(page, series, &TIMES);
    let peak = Spread::of(series.pairs.iter().map(|pair| pair.candidate.peak_bytes as f64));
    let peak = peak.show(figures::bytes);
    add(
        page,
        &format!("| peak memory | | {peak} | | highest resident, sampled |\n\n"),
    );
}

fn metrics(page: &mut String, series: &Series, metrics: &[Metric]) {
    for (name, of, show, how) in metrics {
        let base = Spread::of(series.pairs.iter().map(|pair| of(&pair.base)));
        let candidate = Spread::of(series.pairs.iter().map(|pair| of(&pair.candidate)));
        let ratio = Spread::of(series.pairs.iter().map(ratio_of(of)));
        let (base, candidate) = (base.show(*show), candidate.show(*show));
        add(
            page,
            &format!("| {name} | {base} | {candidate} | {ratio} | {how} |\n"),
        );
    }
}

fn phases(page: &mut String, series: &Series) {
    if series.phases.is_empty() {
        return;
    }
    add(page, "| part of one upgrade | CPU |\n| --- | ---: |\n");
    for phase in &series.phases {
        add(
            page,
            &format!("| {} | {} |\n", phase.name, seconds(phase.cpu_seconds)),
        );
    }
    add(page, "\n");
}

fn commands(page: &mut String, series: &Series) {
    if series.commands.is_empty() {
        return;
    }
    add(
        page,
        "| command | CPU | wall time | peak memory |\n| --- | ---: | ---: | ---: |\n",
    );
    for command in &series.commands {
        let of = |of: fn(&Usage) -> f64| Spread::of(command.runs.iter().map(of));
        let cpu = of(|usage| usage.cpu_seconds).show(seconds);
        let wall = of(|usage| usage.wall_seconds).show(seconds);
        let peak = of(|usage| usage.peak_bytes as f64).show(bytes);
        add(
            page,
            &format!("| `{}` | {cpu} | {wall} | {peak} |\n", command.name),
        );
    }
    add(page, "\n");
}
