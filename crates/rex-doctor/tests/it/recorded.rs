//! Holds the doctor's forecasts against what the real clients did: every recorded case below `fixtures/recorded/`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use rex_doctor::agents::ALL;
use rex_doctor::scan;
use serde::Deserialize;
use serde_json::Value;

use crate::run::{THREADS, doctor};
use crate::tree::{differences, tree};

/// A recorded case: the tree before the resume lies beside it as an archive.
#[derive(Deserialize)]
pub(crate) struct Case {
    client: String,
    pub version: String,
    scenario: String,
    pub archive: String,
    pub env: BTreeMap<String, String>,
    pub cwd: String,
    pub argument: String,
    expected: BTreeMap<String, Answer>,
}

/// What the real client did on one surface, or what the doctor says that it will do.
#[derive(Deserialize)]
pub(crate) struct Answer {
    outcome: String,
    history: Option<String>,
    saves: Option<String>,
    message: Option<String>,
    notice: Option<String>,
    surface: Option<String>,
}

impl Answer {
    fn is_whole(&self) -> bool {
        self.outcome == "resumes" && matches!(self.history.as_deref(), None | Some("full"))
    }

    fn words(&self) -> String {
        format!(
            "{} {:?} {:?} {:?}",
            self.outcome, self.history, self.saves, self.message
        )
    }
}

#[derive(Default)]
struct Score {
    cases: usize,
    outcome: usize,
    history: usize,
    saves: usize,
    messages: usize,
    alike: usize,
    false_healthy: usize,
    wrong: String,
}

impl Score {
    fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        self.outcome += other.outcome;
        self.history += other.history;
        self.saves += other.saves;
        self.messages += other.messages;
        self.alike += other.alike;
        self.false_healthy += other.false_healthy;
        self.wrong += &other.wrong;
    }
}

#[test]
fn forecasts_are_what_the_real_clients_did() {
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    let cases = cases();
    let judged = scan::each(&cases, THREADS, |(folder, case)| judge(folder, case));
    for ((_, case), score) in cases.iter().zip(judged) {
        scores.entry(case.client.clone()).or_default().add(&score);
    }
    assert!(!scores.is_empty(), "no case lies below fixtures/recorded");
    let mut failures = String::new();
    for (client, score) in &scores {
        let percent = |part: usize, of: usize| {
            if of == 0 {
                100.0
            } else {
                100.0 * part as f64 / of as f64
            }
        };
        let (outcome, history) = (
            percent(score.outcome, score.cases),
            percent(score.history, score.cases),
        );
        let (saves, alike) = (
            percent(score.saves, score.cases),
            percent(score.alike, score.messages),
        );
        let line = format!(
            "{client}: {} forecasts, outcome {outcome:.1} %, history {history:.1} %, saves {saves:.1} %, \
             messages {alike:.1} % of {}, false healthy {}",
            score.cases, score.messages, score.false_healthy
        );
        println!("{line}\n{}", score.wrong);
        let reaches = outcome >= 98.0 && history >= 98.0 && saves >= 95.0 && alike >= 95.0;
        if !reaches || score.false_healthy > 0 {
            writeln!(failures, "{line}\n{}", score.wrong).unwrap();
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

fn cases() -> Vec<(PathBuf, Case)> {
    let recorded = testkit::page::repository().join("fixtures/recorded");
    let Ok(clients) = fs::read_dir(&recorded) else {
        return vec![];
    };
    let folders = clients
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir());
    let mut files: Vec<PathBuf> = folders
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let read = |file: PathBuf| {
        let case = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        (file.parent().unwrap().to_owned(), case)
    };
    files.into_iter().map(read).collect()
}

fn judge(folder: &Path, case: &Case) -> Score {
    let mut score = Score::default();
    let said = ask(folder, case);
    for (surface, seen) in &case.expected {
        let said = said.iter().find(|said| said.surface.as_ref() == Some(surface));
        let faults = compare(seen, said, &mut score);
        if !faults.is_empty() {
            let name = format!("{}-{} {} {surface}", case.client, case.version, case.scenario);
            let doctor = said.map(Answer::words).unwrap_or_default();
            writeln!(score.wrong, "{name}: {}", faults.join(", ")).unwrap();
            writeln!(score.wrong, "    client: {}\n    doctor: {doctor}", seen.words()).unwrap();
        }
    }
    score
}

/// What the doctor says about a case; it must leave no trace and name only findings that it lists.
fn ask(folder: &Path, case: &Case) -> Vec<Answer> {
    let root = tempfile::tempdir().unwrap();
    unpack(&folder.join(&case.archive), root.path());
    let before = tree(root.path());
    let below = root.path().to_str().unwrap();
    let mut words = vec!["session", &case.argument, "--agent", &case.client, "--json"];
    words.extend([
        "--client-version",
        &case.version,
        "--cwd",
        &case.cwd,
        "--root",
        below,
    ]);
    words.extend(case.expected.keys().flat_map(|surface| ["--surface", surface]));
    let said = doctor(&words, &case.env, root.path(), false);
    let changed = differences(&before, &tree(root.path()));
    assert!(changed.is_empty(), "{}: changed {changed:?}", case.scenario);
    let answer: Value =
        serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}: {}", case.scenario, said.err));
    let known: Vec<&str> = ALL
        .iter()
        .flat_map(|agent| (agent.checks)())
        .map(|about| about.id)
        .collect();
    for finding in answer["findings"].as_array().unwrap() {
        let id = finding["id"].as_str().unwrap();
        assert!(known.contains(&id), "{}: {id} is not listed", case.scenario);
    }
    serde_json::from_value(answer["forecasts"].clone()).unwrap()
}

fn compare(seen: &Answer, said: Option<&Answer>, score: &mut Score) -> Vec<&'static str> {
    score.cases += 1;
    score.messages += usize::from(seen.message.is_some());
    let Some(said) = said.filter(|said| said.outcome != "unknown") else {
        return vec!["unknown"];
    };
    let mut faults = vec![];
    let mut count = |is_right: bool, counter: &mut usize, fault| {
        *counter += usize::from(is_right);
        if !is_right {
            faults.push(fault);
        }
    };
    count(said.outcome == seen.outcome, &mut score.outcome, "outcome");
    count(said.history == seen.history, &mut score.history, "history");
    count(said.saves == seen.saves, &mut score.saves, "saves");
    match (&seen.message, &said.message) {
        (Some(seen), said) => {
            let is_alike = said.as_ref().is_some_and(|said| alike(said, seen));
            count(is_alike, &mut score.alike, "message");
        }
        (None, Some(said)) if seen.outcome != "refuses" => {
            let is_notice = seen.notice.as_ref().is_some_and(|notice| alike(said, notice));
            count(is_notice, &mut 0, "message made up");
        }
        (None, _) => {}
    }
    if said.is_whole() && !seen.is_whole() {
        score.false_healthy += 1;
        faults.insert(0, "FALSE HEALTHY");
    }
    faults
}

/// Unpacks an archive below a root.
pub(crate) fn unpack(archive: &Path, root: &Path) {
    let mut bytes = zstd::Decoder::new(File::open(archive).unwrap()).unwrap();
    bytes.window_log_max(27).unwrap();
    let mut archive = tar::Archive::new(bytes);
    archive.set_preserve_permissions(true);
    archive.set_preserve_mtime(true);
    archive.unpack(root).unwrap();
}

/// Whether two messages are the same but for ids, paths and spaces; `<uuid>`, `<id>`, `<ms>`, `<pid>` and `<text>` in
/// the first one stand for what no reader of the disk can know.
fn alike(said: &str, seen: &str) -> bool {
    static WILDCARD: LazyLock<Regex> = LazyLock::new(|| Regex::new("<(uuid|id|ms|pid|text)>").unwrap());
    let (said, seen) = (plain(said), plain(seen));
    if said == seen {
        return true;
    }
    let mut pattern = String::from("(?s)^");
    let mut from = 0;
    for found in WILDCARD.captures_iter(&said) {
        let whole = found.get(0).unwrap();
        pattern += &regex::escape(&said[from..whole.start()]);
        pattern += match &found[1] {
            "uuid" => "(?:<id>|<ref>)",
            "id" => "<id>",
            "text" => ".*?",
            _ => r"\d+",
        };
        from = whole.end();
    }
    pattern += &regex::escape(&said[from..]);
    Regex::new(&(pattern + "$")).unwrap().is_match(&seen)
}

fn plain(text: &str) -> String {
    static REPLACED: LazyLock<[(Regex, &str); 5]> = LazyLock::new(|| {
        [
            (r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", "<id>"),
            (r"\b(?:ses_\w+|\d{8}_\d{6}_[0-9a-f]{6})\b", "<id>"),
            (r"(^|[^\w<])/(?:[\w.%@+~-]+/?)+", "$1<path>"),
            (r"\berr_[0-9a-f]+\b", "<ref>"),
            (r"\s+", " "),
        ]
        .map(|(pattern, with)| (Regex::new(pattern).unwrap(), with))
    });
    let text = REPLACED.iter().fold(text.to_owned(), |text, (pattern, with)| {
        pattern.replace_all(&text, *with).into_owned()
    });
    text.trim().to_owned()
}

#[test]
fn messages_are_alike_apart_from_ids_and_paths() {
    for (said, seen, expected) in [
        (
            "No session /a/b of <uuid>",
            "No session /c  of 05d99db5-94c4-4413-a0e2-5bcd11901e0a",
            true,
        ),
        ("pid <pid>: <text>!", "pid 42: whatever!", true),
        ("No session", "no session", false),
    ] {
        assert_eq!(alike(said, seen), expected, "{said}");
    }
}
