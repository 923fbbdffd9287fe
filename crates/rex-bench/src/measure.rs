//! Measurements and their raw records.

use serde::{Deserialize, Serialize};

pub mod child;
pub mod doctor;
pub mod machine;
pub mod phases;
pub mod upgrade;

/// The first member of every record.
pub const SCHEMA: &str = "rex-bench.measurement/1";

/// One section of the measurements: everything its figures come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// `rex-bench.measurement/1`.
    pub schema: String,
    /// What was measured, which decides what figures the page shows.
    #[serde(default)]
    pub subject: Subject,
    /// Names the section and the file.
    pub id: String,
    /// The day, YYYY-MM-DD.
    pub date: String,
    /// The heading.
    pub title: String,
    /// What the figures are held against.
    pub base: String,
    /// The commit that was measured, 8 digits.
    pub candidate: String,
    /// What changed on the hot path, in one paragraph.
    pub change: String,
    /// What the workload leaves out and the section does not show.
    pub limits: String,
    /// The command that reproduces it.
    pub command: String,
    /// Where it ran.
    pub machine: machine::Machine,
    /// One entry per workload and size.
    pub series: Vec<Series>,
}

/// What a record is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The upgrade of a store against `VACUUM INTO`.
    #[default]
    Upgrade,
    /// The doctor's whole look at a home against `cat`.
    Doctor,
}

/// Base and candidate in turns on one store or home.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The shape of the store, or what the home holds.
    pub workload: String,
    /// Its rows of `turns`, or its sessions.
    pub rows: u64,
    /// Its size.
    pub store_bytes: u64,
    /// Base and candidate, one behind the other, warm-up not included.
    pub pairs: Vec<Pair>,
    /// CPU of the parts of one more upgrade, in their order.
    pub phases: Vec<Phase>,
    /// Other commands on the same store.
    pub commands: Vec<Command>,
}

/// One pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// What the figures are held against.
    pub base: Usage,
    /// What is measured.
    pub candidate: Usage,
}

/// What one process used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Seconds on the clock.
    pub wall_seconds: f64,
    /// Seconds of CPU, user and system.
    pub cpu_seconds: f64,
    /// Bytes given to the file system to write.
    pub written_bytes: u64,
    /// The most memory that was resident at one time.
    pub peak_bytes: u64,
}

/// A part of an upgrade.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// What the upgrade calls it.
    pub name: String,
    /// Seconds of CPU.
    pub cpu_seconds: f64,
}

/// A command that was run several times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Command {
    /// Its arguments, the store left out.
    pub name: String,
    /// Every run.
    pub runs: Vec<Usage>,
}
