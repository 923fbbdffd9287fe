//! The `rex-doctor` command: looks at the environment, the clock and the arguments, and passes them on.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, thread};

use jiff::Timestamp;
use rex_doctor::cli::{self, Outside};

/// More threads than this only heat one disk.
const MOST_WORKERS: usize = 8;

fn main() -> ExitCode {
    let stdout = io::stdout();
    let is_terminal = stdout.is_terminal();
    let environment = env::vars_os().collect();
    let mut out = io::BufWriter::new(stdout.lock());
    let mut err = io::stderr().lock();
    let status = cli::run(&mut Outside {
        arguments: env::args_os().collect(),
        current_dir: env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        scratch: scratch(),
        environment,
        now: Timestamp::now(),
        workers: thread::available_parallelism().map_or(1, |count| count.get().min(MOST_WORKERS)),
        is_terminal,
        out: &mut out,
        err: &mut err,
    });
    // A reader that went away has seen enough.
    drop(out.flush());
    ExitCode::from(status)
}

/// A folder for scratch files that lies in no home: the system's, unless that is in the person's own.
fn scratch() -> PathBuf {
    let home = env::var_os("HOME")
        .map(PathBuf::from)
        .filter(|home| home.parent().is_some());
    let is_in_home = |folder: &Path| home.as_deref().is_some_and(|home| folder.starts_with(home));
    let usual = env::temp_dir();
    if !is_in_home(&usual) {
        return usual;
    }
    let others = ["/var/tmp", "/tmp", "/dev/shm"].map(PathBuf::from);
    others
        .into_iter()
        .find(|folder| !is_in_home(folder) && folder.is_dir())
        .unwrap_or(usual)
}
