//! Where a measurement ran.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// What a figure depends on beside the code; "unknown" where the system does not tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Operating system and its version.
    pub os: String,
    /// Processor architecture.
    pub arch: String,
    /// Processor and number of cores.
    pub cpu: String,
    /// The compiler.
    pub toolchain: String,
    /// SQLite.
    pub sqlite: String,
    /// The file system that the stores lie on.
    pub file_system: String,
}

impl Machine {
    /// Asks the system; `scratch` is where the stores lie.
    pub fn of(scratch: &Path) -> Self {
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        Self {
            os: format!(
                "{} {}",
                std::env::consts::OS,
                known(line_of("/proc/sys/kernel/osrelease"))
            ),
            arch: std::env::consts::ARCH.to_owned(),
            cpu: format!("{}, {cores} cores", known(cpu_name())),
            toolchain: known(first_line(Command::new("rustc").arg("--version"))),
            sqlite: rusqlite::version().to_owned(),
            file_system: known(file_system(scratch)),
        }
    }
}

fn known(text: Option<String>) -> String {
    text.unwrap_or_else(|| "unknown".to_owned())
}

fn line_of(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.lines().next()?.to_owned())
}

/// The first line that a command prints.
pub fn first_line(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.lines().next()?.to_owned())
}

fn cpu_name() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The type of the mount with the longest name above the folder.
fn file_system(folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let above = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(1);
        let (place, kind) = (fields.next()?, fields.next()?);
        folder.starts_with(place).then(|| (place.len(), kind.to_owned()))
    });
    Some(above.max_by_key(|(length, _)| *length)?.1)
}
