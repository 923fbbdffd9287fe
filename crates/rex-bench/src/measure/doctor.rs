//! `cat` of every file of a home and the doctor's whole look at it, in turns; then single commands on the same home.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Command as Timed, Pair, Series, Usage, child};
use crate::error::BenchError;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The doctor.
    pub doctor: PathBuf,
    /// Other programs that look at the same home: what the page calls them, and their words.
    pub others: Vec<(String, Vec<String>)>,
    /// Pairs behind one warm-up.
    pub pairs: usize,
    /// Runs of each single command.
    pub command_runs: usize,
}

/// A log, and the argument by which the doctor knows its session.
#[derive(Clone, Debug)]
struct Log {
    bytes: u64,
    id: String,
}

/// The size of the session that is looked at alone.
const SESSION_BYTES: u64 = 1_000_000;

impl Plan {
    /// Measures one home; `told` is said what comes next.
    ///
    /// # Errors
    /// [`BenchError::File`], [`BenchError::Child`].
    pub fn run(&self, workload: &str, home: &Path, told: &dyn Fn(&str)) -> Result<Series, BenchError> {
        let files = files(home)?;
        let logs = logs(&files)?;
        let mut series = Series {
            workload: workload.to_owned(),
            rows: logs.len() as u64,
            store_bytes: files.iter().map(|(_, bytes)| bytes).sum(),
            pairs: Vec::new(),
            phases: Vec::new(),
            commands: Vec::new(),
        };
        for pair in 0..=self.pairs {
            told(&format!("{workload}: pair {pair} of {}", self.pairs));
            let measured = Pair {
                base: run(&mut cat(&files))?,
                candidate: run(&mut self.doctor(home, &["check", "--deep"]))?,
            };
            if pair > 0 {
                series.pairs.push(measured);
            }
        }
        series
            .commands
            .push(self.timed("check", || self.doctor(home, &["check"]))?);
        if let Some(log) = logs.iter().min_by_key(|log| log.bytes.abs_diff(SESSION_BYTES)) {
            let name = format!("session, of {} bytes", log.bytes);
            series
                .commands
                .push(self.timed(&name, || self.doctor(home, &["session", &log.id]))?);
        }
        for (name, words) in &self.others {
            told(&format!("{workload}: {name}"));
            series.commands.push(self.timed(name, || other(home, words))?);
        }
        Ok(series)
    }

    fn doctor(&self, home: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.doctor);
        command
            .args(arguments)
            .current_dir(home)
            .env_clear()
            .env("HOME", home);
        command
    }

    fn timed(&self, name: &str, command: impl Fn() -> Command) -> Result<Timed, BenchError> {
        let runs = (0..self.command_runs).map(|_| run(&mut command()));
        Ok(Timed {
            name: name.to_owned(),
            runs: runs.collect::<Result<_, _>>()?,
        })
    }
}

fn other(home: &Path, words: &[String]) -> Command {
    let mut words = words.iter();
    let mut command = Command::new(words.next().map_or("", String::as_str));
    command
        .args(words)
        .current_dir(home)
        .env_clear()
        .env("HOME", home);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
}

/// Reads the very files through a pipe.
fn cat(files: &[(PathBuf, u64)]) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", "cat \"$@\" | cat > /dev/null", "sh"])
        .args(files.iter().map(|(path, _)| path));
    command
}

/// A finding is no failure, so any status will do; a signal will not.
fn run(command: &mut Command) -> Result<Usage, BenchError> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stderr(std::process::Stdio::null());
    let ended = child::run(command).map_err(failed("run", Path::new(&program)))?;
    match ended.status.code() {
        Some(_) => Ok(ended.usage),
        None => Err(BenchError::Child {
            program,
            status: ended.status,
        }),
    }
}

/// Every file below the agents' folders with its size, in order of name.
fn files(home: &Path) -> Result<Vec<(PathBuf, u64)>, BenchError> {
    let mut found = Vec::new();
    let mut open = vec![home.join(".claude"), home.join(".codex")];
    while let Some(folder) = open.pop() {
        if !folder.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(failed("read", &folder))? {
            let path = entry.map_err(failed("read", &folder))?.path();
            let metadata = path.metadata().map_err(failed("read", &path))?;
            if metadata.is_dir() {
                open.push(path);
            } else {
                found.push((path, metadata.len()));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn logs(files: &[(PathBuf, u64)]) -> Result<Vec<Log>, BenchError> {
    /// Canonical text form of a session's id.
    const ID_BYTES: usize = 36;
    let mut logs = Vec::new();
    for (path, bytes) in files {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let is_log = path.extension().is_some_and(|extension| extension == "jsonl");
        let id = stem.and_then(|stem| Some(stem.get(stem.len().checked_sub(ID_BYTES)?..)?.to_owned()));
        if let Some(id) = id.filter(|_| is_log) {
            logs.push(Log { bytes: *bytes, id });
        }
    }
    if logs.is_empty() {
        let path = files.first().map_or(Path::new("."), |(path, _)| path);
        return Err(failed("find a log beside", path)(
            std::io::ErrorKind::NotFound.into(),
        ));
    }
    Ok(logs)
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> BenchError {
    let path = path.to_owned();
    move |source| BenchError::File { doing, path, source }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::Plan;
    use crate::generate::sessions::long;

    #[test]
    fn a_home_is_looked_at_in_pairs_and_command_by_command() {
        let home = tempfile::tempdir().expect("a folder");
        long::generate(home.path(), 4, 20).expect("a home");
        let plan = Plan {
            doctor: "true".into(),
            others: vec![(
                "a shell".to_owned(),
                vec!["sh".to_owned(), "-c".to_owned(), "exit 3".to_owned()],
            )],
            pairs: 2,
            command_runs: 3,
        };
        let series = plan
            .run("one log", home.path(), &|_| ())
            .expect("all of them run");
        assert_eq!((series.rows, series.pairs.len()), (1, 2));
        assert!(series.store_bytes > 4 * 20, "{}", series.store_bytes);
        let commands = series
            .commands
            .iter()
            .map(|command| (command.name.as_str(), command.runs.len()));
        let session = format!("session, of {} bytes", series.store_bytes);
        assert!(
            commands.eq([("check", 3), (session.as_str(), 3), ("a shell", 3)]),
            "{series:?}"
        );
    }

    #[test]
    fn a_home_without_a_log_is_an_error() {
        let home = tempfile::tempdir().expect("a folder");
        let plan = Plan {
            doctor: "true".into(),
            others: Vec::new(),
            pairs: 1,
            command_runs: 1,
        };
        let error = plan
            .run("nothing", home.path(), &|_| ())
            .expect_err("there is nothing to look at");
        assert_eq!(error.to_string(), "cannot find a log beside .");
    }
}
