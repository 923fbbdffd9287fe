//! The agents the doctor knows: the only registration. An agent is one folder and one line in [`ALL`].

use std::path::PathBuf;

use crate::check::About;
use crate::diagnosis::{Diagnosis, Survey};
use crate::place::Place;
use crate::version::ClientVersion;

pub mod claude;
pub mod codex;

/// Every agent, in the order of reports.
pub const ALL: &[&Agent] = &[&claude::AGENT, &codex::AGENT];

/// Ids that were emitted once and are never used again.
pub const RETIRED: &[&str] = &[];

/// What an agent's folder offers to the frame. Nothing in it can write.
#[derive(Debug)]
pub struct Agent {
    /// The word after `--agent`, the first word of its ids.
    pub name: &'static str,
    /// Its name in sentences.
    pub title: &'static str,
    /// Its surfaces, in the order of the forecasts.
    pub surfaces: &'static [&'static str],
    /// What the four states of store and log mean for this agent.
    pub quadrants: Quadrants,
    /// All its checks.
    pub checks: fn() -> Vec<About>,
    /// Surveys the effective home and what else holds sessions.
    pub survey: fn(&Place, &Ask) -> Survey,
    /// The whole diagnosis of one argument; also for one that nobody has.
    pub diagnose: fn(&Place, &Question) -> Diagnosis,
}

/// One sentence per quadrant of the table "store has or has not, log present or missing".
#[derive(Debug)]
pub struct Quadrants {
    /// The store has it and the log is there.
    pub has_present: &'static str,
    /// The store has it and the log is not there.
    pub has_missing: &'static str,
    /// The store has it not and the log is there.
    pub none_present: &'static str,
    /// Neither.
    pub none_missing: &'static str,
}

/// What a survey is asked.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// The client's version, if the person named one.
    pub client_version: Option<ClientVersion>,
    /// Read every log whole. Else the stores and 64 KiB of each log's head and tail.
    pub deep: bool,
    /// Keep only sessions of this folder (a path as the client sees it).
    pub here: Option<PathBuf>,
}

/// What a diagnosis is asked.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// What the person would hand to the agent's resume command.
    pub argument: String,
    /// The client's version, if the person named one.
    pub client_version: Option<ClientVersion>,
    /// The surfaces asked for, in the agent's order; never empty.
    pub surfaces: Vec<&'static str>,
    /// What an application around the agent believes the log's path to be.
    pub host_log: Option<PathBuf>,
}

/// Returns the agent of that name.
pub fn named(name: &str) -> Option<&'static Agent> {
    ALL.iter().copied().find(|agent| agent.name == name)
}
