//! Homes that nobody would want to read: nothing stops, hangs, panics or grows, and the others are still reported.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::fixture::give_away;
use crate::tree::{differences, tree};

const ID: &str = "11111111-2222-4333-8444-555555555555";
const OTHER: &str = "99999999-2222-4333-8444-555555555555";

/// No command may take longer; a healthy one takes milliseconds.
const LIMIT: Duration = Duration::from_mins(1);

/// The peak that no command may exceed, in KiB.
const PEAK_KIB: u64 = 64 << 10;

/// Every command that looks at a machine.
const COMMANDS: [&[&str]; 9] = [
    &["check", "--json"],
    &["check", "--deep", "--json"],
    &["check", "--deep", "-v"],
    &["sessions"],
    &["sessions", "--problems", "--deep"],
    &["sessions", "--here"],
    &["session", ID],
    &["session", ID, "--agent", "claude", "--json"],
    &["session", ID, "--agent", "codex", "--json"],
];

struct Machine(TempDir);

impl Machine {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("home/u/w")).unwrap();
        Self(root)
    }

    fn at(&self, path: &str) -> PathBuf {
        let path = self.0.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    /// Where Claude Code and Codex look for the log of [`ID`].
    fn logs(&self) -> [PathBuf; 2] {
        [
            format!("/home/u/.claude/projects/-home-u-w/{ID}.jsonl"),
            format!("/home/u/.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-{ID}.jsonl"),
        ]
        .map(|path| self.at(&path))
    }

    /// Runs every command, with its peak of memory, and returns the answers of `check`.
    fn survives(&self) -> Value {
        let before = tree(self.0.path());
        let mut checked = Value::Null;
        for arguments in COMMANDS {
            let text = self.run(arguments);
            if arguments.contains(&"--json") {
                let answer: Value =
                    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{arguments:?}: {text}"));
                if arguments[0] == "check" {
                    checked = answer;
                }
            }
        }
        assert_eq!(differences(&before, &tree(self.0.path())), Vec::<PathBuf>::new());
        checked
    }

    fn run(&self, arguments: &[&str]) -> String {
        let mut doctor = Command::new(env!("CARGO_BIN_EXE_rex-doctor"));
        doctor.args(arguments).arg("--root").arg(self.0.path());
        doctor
            .args(["--cwd", "/home/u/w"])
            .env_clear()
            .env("HOME", "/home/u");
        let mut child = doctor
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            out.read_to_string(&mut text).unwrap();
            text
        });
        let peak = wait(&mut child, arguments);
        let mut errors = String::new();
        child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert!(!errors.contains("panicked"), "{arguments:?}: {errors}");
        assert!(peak < PEAK_KIB, "{arguments:?}: {peak} KiB");
        reader.join().unwrap()
    }
}

/// Waits for the end and returns the peak of memory in KiB.
fn wait(child: &mut Child, arguments: &[&str]) -> u64 {
    let begun = Instant::now();
    let mut peak = 0;
    loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let seen = line.and_then(|text| text.trim().trim_end_matches(" kB").parse().ok());
        peak = peak.max(seen.unwrap_or(0));
        if child.try_wait().unwrap().is_some() {
            return peak;
        }
        if begun.elapsed() > LIMIT {
            child.kill().unwrap();
            panic!("{arguments:?} does not come back");
        }
        // Often enough to see the peak, and the doctor keeps its processor.
        std::thread::sleep(Duration::from_micros(500));
    }
}

/// A log of Claude Code with one prompt.
fn prompt(text: &str) -> String {
    let row = serde_json::json!({
        "type": "user", "uuid": "a", "parentUuid": null, "isSidechain": false, "sessionId": ID, "cwd": "/home/u/w",
        "version": "2.1.332", "timestamp": "2026-01-02T03:04:05.000Z", "message": {"role": "user", "content": text},
    });
    format!("{row}\n")
}

fn fifo(path: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
}

fn socket(path: &Path) {
    rustix::fs::mknodat(
        rustix::fs::CWD,
        path,
        rustix::fs::FileType::Socket,
        0o600.into(),
        0,
    )
    .unwrap();
}

#[test]
fn nothing_there_is_no_fault() {
    let checked = Machine::new().survives();
    assert_eq!(checked["summary"]["sessions"], 0);
}

#[test]
fn fifos_sockets_and_folders_in_place_of_files_are_not_opened() {
    type Place = fn(&Path);
    let things: [Place; 3] = [fifo, socket, |path| fs::create_dir(path).unwrap()];
    for thing in things {
        let machine = Machine::new();
        for log in machine.logs() {
            thing(&log);
        }
        for file in [
            "/home/u/.claude.json",
            "/home/u/.claude/settings.json",
            "/home/u/.claude/history.jsonl",
            "/home/u/.codex/state_5.sqlite",
            "/home/u/.codex/config.toml",
            "/home/u/.codex/session_index.jsonl",
            "/home/u/.codex/history.jsonl",
        ] {
            thing(&machine.at(file));
        }
        machine.survives();
    }
}

#[test]
fn symlinks_in_circles_and_out_of_the_root_end() {
    let machine = Machine::new();
    let [claude, codex] = machine.logs();
    std::os::unix::fs::symlink(&codex, &claude).unwrap();
    std::os::unix::fs::symlink("/home/u/.claude/projects", &codex).unwrap();
    let projects = machine.at("/home/u/.claude/projects/again");
    std::os::unix::fs::symlink("..", projects).unwrap();
    std::os::unix::fs::symlink("loop", machine.at("/home/u/.codex/loop")).unwrap();
    std::os::unix::fs::symlink("/../../../../etc", machine.at("/home/u/.claude-etc")).unwrap();
    machine.survives();
}

#[test]
fn ten_thousand_nested_folders_are_not_descended() {
    let machine = Machine::new();
    for top in [
        "/home/u/.claude/projects/-home-u-w",
        "/home/u/.codex/sessions/2026",
    ] {
        let top = machine.at(top);
        fs::create_dir_all(&top).unwrap();
        // A path of this depth is longer than any call takes, so the folders are made from within each other.
        let mut here = File::open(&top).unwrap();
        for _ in 0..10_000 {
            rustix::fs::mkdirat(&here, "d", 0o700.into()).unwrap();
            let flags = rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::CLOEXEC;
            here = File::from(rustix::fs::openat(&here, "d", flags, 0o0.into()).unwrap());
        }
    }
    for arguments in COMMANDS {
        machine.run(arguments);
    }
    // The standard library removes by path and would not get to the bottom.
    let removed = Command::new("rm")
        .arg("-rf")
        .arg(machine.0.path())
        .status()
        .unwrap();
    assert!(removed.success());
}

#[test]
fn huge_lines_and_deep_nesting_stay_within_memory() {
    let machine = Machine::new();
    for log in machine.logs() {
        let mut file = File::create(&log).unwrap();
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        writeln!(file, "{{\"type\":\"user\",\"uuid\":\"a\",\"message\":{deep}}}").unwrap();
        write!(
            file,
            "{{\"type\":\"user\",\"uuid\":\"b\",\"message\":{{\"role\":\"user\",\"content\":\""
        )
        .unwrap();
        for _ in 0..150 {
            file.write_all(&vec![b'x'; 1 << 20]).unwrap();
        }
        writeln!(file, "\"}}}}").unwrap();
        // A hole reads as NUL bytes and takes no space.
        let end = file.seek(SeekFrom::End(0)).unwrap();
        file.set_len(end + (300 << 20)).unwrap();
    }
    machine.survives();
}

#[test]
fn a_line_of_four_gigabytes_stays_within_memory() {
    let machine = Machine::new();
    for log in machine.logs() {
        let mut file = File::create(&log).unwrap();
        write!(
            file,
            "{{\"type\":\"user\",\"uuid\":\"b\",\"message\":{{\"content\":\""
        )
        .unwrap();
        // A hole reads as NUL bytes and takes no space.
        file.set_len(4 << 30).unwrap();
    }
    machine.run(&["check", "--deep"]);
}

#[test]
fn what_may_not_be_read_is_said_and_the_rest_is_reported() {
    let machine = Machine::new();
    let [claude, codex] = machine.logs();
    fs::write(&claude, prompt("hello")).unwrap();
    let other = claude.with_file_name(format!("{OTHER}.jsonl"));
    fs::write(&other, prompt("hello").replace(ID, OTHER)).unwrap();
    fs::write(&codex, "garbage\n").unwrap();
    let folder = codex.parent().unwrap().with_file_name("03");
    fs::create_dir(&folder).unwrap();
    let store = machine.at("/home/u/.codex/state_5.sqlite");
    fs::write(&store, "garbage").unwrap();
    give_away(&machine.at("/home/u"));
    for closed in [&claude, &codex, &folder, &store] {
        fs::set_permissions(closed, fs::Permissions::from_mode(0o0)).unwrap();
    }
    let checked = machine.survives();
    let text = checked.to_string();
    for id in [
        "claude.log.unreadable",
        "codex.log.not_readable",
        "codex.home.folder_unreadable",
        "codex.store.unreadable",
    ] {
        assert!(text.contains(id), "{id}: {checked:#}");
    }
    let problems = checked["agents"][0]["problems"].as_array().unwrap();
    assert!(
        problems.iter().all(|line| line["session"] != OTHER),
        "{checked:#}"
    );
    assert_eq!(checked["agents"][0]["summary"]["sessions"], 2);
}

#[test]
fn names_that_are_no_text_survive() {
    let machine = Machine::new();
    let name = std::ffi::OsStr::from_bytes(b"\xff\xfe.jsonl");
    for log in machine.logs() {
        fs::write(log.with_file_name(name), "{}\n").unwrap();
        fs::create_dir(log.with_file_name(std::ffi::OsStr::from_bytes(b"-\xc3\x28"))).unwrap();
        fs::write(&log, b"\xff\xfe{\0\"\0").unwrap();
    }
    machine.survives();
}

#[test]
fn one_broken_agent_does_not_hide_the_other() {
    let machine = Machine::new();
    let [claude, codex] = machine.logs();
    fs::write(codex, "garbage\n").unwrap();
    fs::write(machine.at("/home/u/.codex/state_5.sqlite"), "garbage").unwrap();
    fs::write(claude, prompt("hello")).unwrap();
    let checked = machine.survives();
    let agents = checked["agents"].as_array().unwrap();
    let sessions = |name: &str| {
        agents.iter().find(|agent| agent["agent"] == name).unwrap()["summary"]["sessions"].as_u64()
    };
    assert_eq!(sessions("claude"), Some(1));
    assert!(sessions("codex").is_some());
}

#[test]
fn logs_that_grow_and_vanish_are_read_as_they_are() {
    let machine = Machine::new();
    let [claude, codex] = machine.logs();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                for log in [&claude, &codex] {
                    let mut file = File::options().append(true).create(true).open(log).unwrap();
                    file.write_all(b"{\"type\":\"user\",\"uuid\":\"a\"}\n{\"ty")
                        .unwrap();
                    if file.metadata().unwrap().len() > 1 << 16 {
                        fs::remove_file(log).unwrap();
                    }
                }
            }
        });
        for arguments in COMMANDS.repeat(2) {
            machine.run(arguments);
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
