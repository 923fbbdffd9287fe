//! `VACUUM INTO` and the upgrade of the same store, in turns, each on a fresh copy.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Command as Timed, Pair, Series, Usage, child};
use crate::error::BenchError;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    /// This program, which vacuums in a process of its own.
    pub bench: PathBuf,
    /// The upgrading program.
    pub migrate: PathBuf,
    /// Pairs behind one warm-up.
    pub pairs: usize,
    /// Runs of each other command.
    pub command_runs: usize,
    /// Where copies are made.
    pub scratch: PathBuf,
}

/// Commands that are timed beside the pairs.
const COMMANDS: [&[&str]; 4] = [
    &["status"],
    &["plan"],
    &["plan", "--full"],
    &["up", "--dry-run", "--json"],
];

impl Plan {
    /// Measures one store; `told` is said what comes next.
    ///
    /// # Errors
    /// [`BenchError::File`], [`BenchError::Child`].
    pub fn run(
        &self,
        shape: &str,
        rows: u64,
        store: &Path,
        told: &dyn Fn(&str),
    ) -> Result<Series, BenchError> {
        let store_bytes = fs::metadata(store).map_err(failed("measure", store))?.len();
        let mut series = Series {
            workload: shape.to_owned(),
            rows,
            store_bytes,
            pairs: Vec::new(),
            phases: Vec::new(),
            commands: Vec::new(),
        };
        for pair in 0..=self.pairs {
            told(&format!("{shape} {rows}: pair {pair} of {}", self.pairs));
            let measured = Pair {
                base: self.vacuum(store)?,
                candidate: self.upgrade(store)?,
            };
            // The first pair warms the caches up.
            if pair > 0 {
                series.pairs.push(measured);
            }
        }
        for arguments in COMMANDS {
            told(&format!("{shape} {rows}: {}", arguments.join(" ")));
            let mut command = Command::new(&self.migrate);
            command.args(arguments).arg(store);
            let runs = (0..self.command_runs).map(|_| self.child(&mut command).map(|ended| ended.usage));
            series.commands.push(Timed {
                name: arguments.join(" "),
                runs: runs.collect::<Result<_, _>>()?,
            });
        }
        told(&format!("{shape} {rows}: phases"));
        series.phases = self.on_a_copy(store, |copy, _| {
            let ended = self.child(Command::new(&self.bench).args(["measure", "phases"]).arg(copy))?;
            serde_json::from_str(&ended.output)
                .map_err(|source| failed("read the phases of", copy)(source.into()))
        })?;
        Ok(series)
    }

    fn vacuum(&self, store: &Path) -> Result<Usage, BenchError> {
        self.on_a_copy(store, |copy, folder| {
            let mut command = Command::new(&self.bench);
            command
                .args(["measure", "vacuum"])
                .arg(copy)
                .arg(folder.join("vacuumed.db"));
            Ok(self.child(&mut command)?.usage)
        })
    }

    fn upgrade(&self, store: &Path) -> Result<Usage, BenchError> {
        self.on_a_copy(store, |copy, _| {
            Ok(self
                .child(Command::new(&self.migrate).args(["up", "--yes", "-q"]).arg(copy))?
                .usage)
        })
    }

    /// Works on a copy in a folder of its own, which is gone afterwards.
    fn on_a_copy<T>(
        &self,
        store: &Path,
        work: impl FnOnce(&Path, &Path) -> Result<T, BenchError>,
    ) -> Result<T, BenchError> {
        let folder =
            tempfile::tempdir_in(&self.scratch).map_err(failed("create a folder in", &self.scratch))?;
        let copy = folder.path().join("store.db");
        fs::copy(store, &copy).map_err(failed("copy", store))?;
        work(&copy, folder.path())
    }

    fn child(&self, command: &mut Command) -> Result<child::Ended, BenchError> {
        let program = command.get_program().to_string_lossy().into_owned();
        let ended =
            child::run(command.env("TMPDIR", &self.scratch)).map_err(failed("run", Path::new(&program)))?;
        if ended.status.success() {
            return Ok(ended);
        }
        Err(BenchError::Child {
            program,
            status: ended.status,
        })
    }
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> BenchError {
    let path = path.to_owned();
    move |source| BenchError::File { doing, path, source }
}
