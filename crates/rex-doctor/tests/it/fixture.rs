//! Builds a fixture below a temporary root; `fixtures/README.md` describes the format.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OpenFlags};
use serde::Deserialize;
use tempfile::TempDir;

use crate::recorded::{Case, unpack};
use crate::run::{self, Said};

/// A fixture's `case.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fixture {
    #[serde(skip)]
    pub folder: PathBuf,
    pub why: String,
    recorded: Option<String>,
    #[serde(default)]
    edits: Vec<Edit>,
    env: Option<BTreeMap<String, String>>,
    cwd: Option<String>,
    argument: Option<String>,
    client_version: Option<String>,
    host_log: Option<String>,
    now: Option<String>,
    pub findings: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Edit {
    Write {
        path: String,
        text: String,
    },
    Append {
        path: String,
        text: String,
    },
    AppendHex {
        path: String,
        hex: String,
    },
    Repeat {
        path: String,
        text: String,
        times: usize,
    },
    Truncate {
        path: String,
        bytes: i64,
    },
    Replace {
        path: String,
        from: String,
        to: String,
    },
    RemoveLine {
        path: String,
        line: i64,
    },
    KeepLines {
        path: String,
        lines: usize,
    },
    Remove {
        path: String,
    },
    Move {
        path: String,
        to: String,
    },
    Copy {
        path: String,
        to: String,
    },
    Folder {
        path: String,
    },
    Link {
        path: String,
        to: String,
    },
    Mode {
        path: String,
        mode: String,
    },
    Age {
        path: String,
        days: u64,
    },
    Sql {
        path: String,
        sql: String,
    },
    Process {
        pid: u32,
        name: String,
        #[serde(default)]
        start_ticks: u64,
    },
    Lock {
        path: String,
        pid: u32,
        kind: String,
        from: Option<u64>,
        to: Option<u64>,
    },
}

/// A fixture that was built.
pub(crate) struct Built {
    root: TempDir,
    env: BTreeMap<String, String>,
    cwd: String,
    pub argument: String,
    client_version: Option<String>,
    host_log: Option<String>,
    now: String,
}

const NOW: &str = "2026-11-30T12:00:00Z";

/// Every fixture with its name, `<agent>/<witness>/<fault>`.
pub(crate) fn all() -> Vec<(String, Fixture)> {
    let folder = testkit::page::repository().join("fixtures");
    let mut found = vec![];
    for agent in rex_doctor::agents::ALL {
        for case in files(&folder.join(agent.name))
            .into_iter()
            .filter(|file| file.ends_with("case.json"))
        {
            let mut fixture: Fixture = serde_json::from_slice(&fs::read(&case).unwrap())
                .unwrap_or_else(|error| panic!("{}: {error}", case.display()));
            case.parent().unwrap().clone_into(&mut fixture.folder);
            let name = fixture
                .folder
                .strip_prefix(&folder)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            found.push((name, fixture));
        }
    }
    found
}

/// Every file below a folder, sorted.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let entry = entry.unwrap();
            let list = if entry.file_type().unwrap().is_dir() {
                &mut pending
            } else {
                &mut found
            };
            list.push(entry.path());
        }
    }
    found.sort();
    found
}

impl Fixture {
    /// Builds it below a new temporary root.
    pub(crate) fn build(&self) -> Built {
        let root = tempfile::tempdir().unwrap();
        let case = self.recorded.as_ref().map(|name| {
            let file = testkit::page::repository().join("fixtures/recorded").join(name);
            let case: Case = serde_json::from_slice(&fs::read(file.with_extension("json")).unwrap()).unwrap();
            unpack(&file.with_file_name(&case.archive), root.path());
            case
        });
        copy_text(&self.folder.join("root"), root.path());
        let now = self.now.clone().unwrap_or_else(|| NOW.to_owned());
        let edit = Editing {
            root: root.path(),
            now: &now,
        };
        self.edits.iter().for_each(|step| edit.make(step));
        if rustix::process::geteuid().is_root() {
            give_away(root.path());
        }
        let needed = "a fixture without a recorded tree names env, cwd and argument";
        let from_case = |own: &Option<String>, case: Option<&String>| own.clone().or_else(|| case.cloned());
        let case = case.as_ref();
        Built {
            env: self
                .env
                .clone()
                .or_else(|| Some(case?.env.clone()))
                .expect(needed),
            cwd: from_case(&self.cwd, case.map(|case| &case.cwd)).expect(needed),
            argument: from_case(&self.argument, case.map(|case| &case.argument)).expect(needed),
            client_version: from_case(&self.client_version, case.map(|case| &case.version)),
            host_log: self.host_log.clone(),
            now,
            root,
        }
    }
}

impl Built {
    /// The folder that stands for `/`.
    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    /// Runs a command of the doctor on it, with exactly the fixture's environment.
    pub(crate) fn doctor(&self, arguments: &[&str]) -> Said {
        let root = self.root().to_str().unwrap();
        let mut words = arguments.to_vec();
        words.extend(["--cwd", &self.cwd, "--now", &self.now, "--root", root]);
        if let Some(version) = &self.client_version {
            words.extend(["--client-version", version]);
        }
        if let (Some(path), Some(&"session")) = (&self.host_log, arguments.first()) {
            words.extend(["--host-log", path]);
        }
        run::doctor(&words, &self.env, self.root(), false)
    }
}

struct Editing<'a> {
    root: &'a Path,
    now: &'a str,
}

impl Editing<'_> {
    fn at(&self, path: &str) -> PathBuf {
        let path = self.root.join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    fn append(&self, path: &str, bytes: &[u8]) {
        OpenOptions::new()
            .append(true)
            .create(true)
            .open(self.at(path))
            .unwrap()
            .write_all(bytes)
            .unwrap();
    }

    fn lines(&self, path: &str, change: impl FnOnce(&mut Vec<&str>)) {
        let text = fs::read_to_string(self.at(path)).unwrap();
        let mut lines = text.split_inclusive('\n').collect();
        change(&mut lines);
        fs::write(self.at(path), lines.concat()).unwrap();
    }

    fn make(&self, edit: &Edit) {
        match edit {
            Edit::Write { path, text } => fs::write(self.at(path), text).unwrap(),
            Edit::Append { path, text } => self.append(path, text.as_bytes()),
            Edit::AppendHex { path, hex } => self.append(path, &bytes(hex)),
            Edit::Repeat { path, text, times } => self.append(path, text.repeat(*times).as_bytes()),
            Edit::Truncate { path, bytes } => {
                let file = OpenOptions::new().write(true).open(self.at(path)).unwrap();
                file.set_len(from_end(*bytes, file.metadata().unwrap().len() as usize) as u64)
                    .unwrap();
            }
            Edit::Replace { path, from, to } => {
                let text = fs::read_to_string(self.at(path)).unwrap();
                assert!(text.contains(from), "{path} does not hold {from}");
                fs::write(self.at(path), text.replace(from, to)).unwrap();
            }
            Edit::RemoveLine { path, line } => self.lines(path, |lines| {
                lines.remove(from_end(*line, lines.len()));
            }),
            Edit::KeepLines { path, lines: kept } => self.lines(path, |lines| lines.truncate(*kept)),
            _ => self.make_entry(edit),
        }
    }

    fn make_entry(&self, edit: &Edit) {
        match edit {
            Edit::Remove { path } if self.at(path).is_dir() => fs::remove_dir_all(self.at(path)).unwrap(),
            Edit::Remove { path } => fs::remove_file(self.at(path)).unwrap(),
            Edit::Move { path, to } => fs::rename(self.at(path), self.at(to)).unwrap(),
            Edit::Copy { path, to } => copy_text(&self.at(path), &self.at(to)),
            Edit::Folder { path } => fs::create_dir_all(self.at(path)).unwrap(),
            Edit::Link { path, to } => std::os::unix::fs::symlink(to, self.at(path)).unwrap(),
            Edit::Mode { path, mode } => {
                let mode = u32::from_str_radix(mode, 8).unwrap();
                fs::set_permissions(self.at(path), fs::Permissions::from_mode(mode)).unwrap();
            }
            Edit::Age { path, days } => {
                let now: jiff::Timestamp = self.now.parse().unwrap();
                let seconds = u64::try_from(now.as_second()).unwrap() - days * 86_400;
                let then = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
                File::open(self.at(path)).unwrap().set_modified(then).unwrap();
            }
            Edit::Sql { path, sql } => database(&self.at(path)).execute_batch(sql).unwrap(),
            Edit::Process {
                pid,
                name,
                start_ticks,
            } => {
                let zeros = "0 ".repeat(18);
                let text = format!("{pid} ({name}) S {zeros}{start_ticks} 0\n");
                fs::write(self.at(&format!("/proc/{pid}/stat")), text).unwrap();
            }
            Edit::Lock {
                path,
                pid,
                kind,
                from,
                to,
            } => {
                let inode = fs::metadata(self.at(path)).unwrap().ino();
                let to = to.map_or("EOF".to_owned(), |to| to.to_string());
                let from = from.unwrap_or(0);
                let line = format!("1: {kind}  ADVISORY  WRITE {pid} 00:00:{inode} {from} {to}\n");
                self.append("/proc/locks", line.as_bytes());
            }
            _ => unreachable!("made above"),
        }
    }
}

fn database(path: &Path) -> Connection {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    Connection::open_with_flags(path, flags).unwrap()
}

/// Copies a file or a folder; a file `NAME.sql` becomes the database `NAME`.
fn copy_text(from: &Path, to: &Path) {
    let Ok(data) = fs::symlink_metadata(from) else {
        return;
    };
    if data.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy_text(&entry.path(), &to.join(entry.file_name()));
        }
    } else if data.is_symlink() {
        std::os::unix::fs::symlink(fs::read_link(from).unwrap(), to).unwrap();
    } else if from.extension().is_some_and(|ending| ending == "sql") {
        database(&to.with_extension(""))
            .execute_batch(&fs::read_to_string(from).unwrap())
            .unwrap();
    } else {
        fs::copy(from, to).unwrap();
    }
}

pub(crate) fn give_away(path: &Path) {
    std::os::unix::fs::lchown(path, Some(1000), Some(1000)).unwrap();
    if fs::symlink_metadata(path).unwrap().is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give_away(&entry.unwrap().path());
        }
    }
}

/// A count from the start, or from the end where it is negative.
fn from_end(at: i64, of: usize) -> usize {
    usize::try_from(at).unwrap_or_else(|_| of - usize::try_from(-at).unwrap())
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<char> = hex.chars().filter(|c| !c.is_whitespace()).collect();
    let pairs = digits.chunks(2).map(|pair| pair.iter().collect::<String>());
    pairs.map(|pair| u8::from_str_radix(&pair, 16).unwrap()).collect()
}
