//! Whole blocks of the command line: what stands on the screen, what a script reads, and the exit status.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tempfile::TempDir;
use testkit::page::repository;

use crate::fixture;
use crate::recorded::unpack;
use crate::run::{Said, doctor};

const NOW: &str = "2026-11-30T12:00:00Z";
const CLAUDE: &str = "05d99db5-94c4-4413-a0e2-5bcd11901e0a";
const TWIN: &str = "05d99db5-94c4-4413-a0e2-5bcd11901e0b";
const CODEX: &str = "01a22c09-6eb9-73e1-86db-ba552739e67c";
const BOX: &str = "tmp/rexcase/box";

/// A whole session of Claude Code, one whose last row is torn, and one of Codex whose log is gone.
struct Machine {
    root: TempDir,
    env: BTreeMap<String, String>,
}

impl Machine {
    fn new() -> Self {
        let machine = Self::of(&["claude-2.1.332/ok_resume", "codex-0.171.0/rollout_deleted"]);
        let keys = machine.root.path().join(BOX).join("cfg/projects");
        let log = fixture::files(&keys)
            .into_iter()
            .find(|file| file.ends_with(format!("{CLAUDE}.jsonl")))
            .unwrap();
        let text = fs::read_to_string(&log).unwrap().replace(CLAUDE, TWIN);
        let (kept, _) = text.split_at(text.len() - 40);
        fs::write(log.with_file_name(format!("{TWIN}.jsonl")), kept).unwrap();
        machine
    }

    fn of(recorded: &[&str]) -> Self {
        let root = tempfile::tempdir().unwrap();
        for name in recorded {
            let archive = repository().join("fixtures/recorded").join(name);
            unpack(&archive.with_extension("tar.zst"), root.path());
        }
        let variables = [
            ("HOME", "/tmp/rexcase/box/home"),
            ("CLAUDE_CONFIG_DIR", "/tmp/rexcase/box/cfg"),
        ];
        let env = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            root,
            env: env.into(),
        }
    }

    fn run(&self, arguments: &[&str]) -> Said {
        self.run_at(arguments, false)
    }

    fn run_at(&self, arguments: &[&str], is_terminal: bool) -> Said {
        let root = self.root.path().to_str().unwrap();
        let place = ["--root", root, "--cwd", "/tmp/rexcase/box/proj", "--now", NOW];
        doctor(
            &[arguments, &place].concat(),
            &self.env,
            self.root.path(),
            is_terminal,
        )
    }

    /// The command, what it printed and its exit status.
    fn block(&self, arguments: &[&str]) -> String {
        let Said { code, out, err } = self.run(arguments);
        format!(
            "$ rex-doctor {}\n{out}{err}[exit status {code}]\n",
            arguments.join(" ")
        )
    }
}

fn said(arguments: &[&str]) -> Said {
    doctor(arguments, &BTreeMap::new(), Path::new("/"), false)
}

#[test]
fn every_command_prints_for_people_and_for_scripts() {
    let machine = Machine::new();
    let commands: [(&str, &[&str]); 13] = [
        ("check", &["check"]),
        ("check_deep", &["check", "--deep", "-v"]),
        ("check_quiet", &["-q"]),
        ("check_json", &["check", "--deep", "--json"]),
        ("sessions", &["sessions"]),
        ("sessions_problems", &["sessions", "--problems", "--deep"]),
        ("sessions_here_json", &["sessions", "--here", "--json"]),
        ("session_whole", &["session", CLAUDE]),
        ("session_torn", &["session", TWIN, "-v"]),
        ("session_refused", &["session", CODEX, "--ascii"]),
        ("session_json", &["session", CODEX, "--json"]),
        ("explain", &["explain", "codex.store.row_without_log"]),
        (
            "explain_json",
            &["explain", "codex.store.row_without_log", "--json"],
        ),
    ];
    for (name, arguments) in commands {
        insta::assert_snapshot!(name, machine.block(arguments));
    }
}

#[test]
fn every_exit_status_is_given() {
    let (whole, broken) = (Machine::of(&["codex-0.171.0/healthy"]), Machine::new());
    let busy = fixture::all()
        .into_iter()
        .find(|(name, _)| name == "codex/store/locked");
    let busy = busy.unwrap().1.build();
    let all = [
        (0, whole.run(&["session", CODEX, "--agent", "codex"])),
        (0, broken.run(&["session", CLAUDE, "--severity-min", "error"])),
        (1, broken.run(&["check"])),
        (1, broken.run(&["session", CODEX])),
        (2, broken.run(&["check", "--agent", "nobody"])),
        (2, broken.run(&["session", CODEX, "--surface", "nowhere"])),
        (2, broken.run(&["--deep", "sessions"])),
        (2, said(&["check", "--root", "/nowhere/at/all"])),
        (2, said(&["explain", "codex.store.nothing"])),
        (
            3,
            broken.run(&["session", "11111111-2222-4333-8444-555555555555"]),
        ),
        (4, broken.run(&["session", "05d99db5"])),
        (5, busy.doctor(&["session", &busy.argument, "--agent", "codex"])),
    ];
    for (status, said) in all {
        assert_eq!(said.code, status, "{said:?}");
        assert_eq!(said.err.is_empty(), status != 2, "{said:?}");
    }
}

#[test]
fn what_nobody_has_and_what_several_have_is_told_with_ids() {
    let machine = Machine::new();
    insta::assert_snapshot!(
        "session_none",
        machine.block(&["session", "05d99db5-94c4-4413-a0e2-5bcd11901e99"])
    );
    insta::assert_snapshot!("session_several", machine.block(&["session", "05d99db5"]));
    insta::assert_snapshot!(
        "session_several_json",
        machine.block(&["session", "05d99db5", "--json"])
    );
    insta::assert_snapshot!(
        "wrong_usage",
        machine.block(&["session", CODEX, "--surface", "nowhere"])
    );
}

#[test]
fn every_command_shows_examples() {
    for command in rex_doctor::cli::command().get_subcommands() {
        if command.is_hide_set() {
            continue;
        }
        let help = said(&[command.get_name(), "--help"]);
        let example = format!("\n  rex-doctor {}", command.get_name());
        assert_eq!(help.code, 0);
        assert!(help.out.contains("\nExamples:"), "{}", help.out);
        assert!(help.out.contains(&example), "{}", help.out);
    }
    assert!(said(&["--help"]).out.contains("\nExamples:"));
}

#[test]
fn colour_is_for_terminals_and_for_those_who_want_it() {
    let mut machine = Machine::new();
    let coloured = |said: &Said| said.out.contains('\u{1b}');
    assert!(!coloured(&machine.run(&["check"])));
    assert!(coloured(&machine.run_at(&["check"], true)));
    machine.env.insert("NO_COLOR".to_owned(), "1".to_owned());
    assert!(!coloured(&machine.run_at(&["check"], true)));
}

#[test]
fn ascii_is_ascii() {
    let machine = Machine::new();
    for arguments in [
        &["check", "--deep"][..],
        &["sessions"],
        &["session", TWIN],
        &["session", CODEX, "-v"],
    ] {
        let said = machine.run(&[arguments, &["--ascii"]].concat());
        assert!(said.out.is_ascii(), "{}", said.out);
    }
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let said = said(&["completions", shell]);
        assert_eq!(said.code, 0, "{said:?}");
        for command in rex_doctor::cli::command()
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
        {
            assert!(
                said.out.contains(command.get_name()),
                "{shell}: {}",
                command.get_name()
            );
        }
    }
}
