//! The options that several commands share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Failure, Ready};
use crate::agents::{self, Agent};
use crate::check::{Finding, Severity};
use crate::nearest::nearest;
use crate::report::Detail;
use crate::version::ClientVersion;

/// Where to look.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Where to look")]
pub(super) struct Where {
    /// Only this agent; may be given several times.
    #[arg(long, value_name = "AGENT", global = true, value_parser = names())]
    pub(super) agent: Vec<String>,
    /// The folder the agent would be started in (default: the current one; under --root the home).
    #[arg(long, value_name = "DIR", global = true)]
    pub(super) cwd: Option<PathBuf>,
    /// Read another machine's files: every absolute path is looked up below DIR.
    #[arg(long, value_name = "DIR", global = true)]
    pub(super) root: Option<PathBuf>,
    /// The time to judge at, such as 2026-01-31T12:00:00Z (default: now).
    #[arg(long, value_name = "TIME", global = true)]
    pub(super) now: Option<String>,
    /// The version of the agent's client (default: the newest one on record).
    #[arg(long, value_name = "VERSION", global = true, value_parser = version)]
    pub(super) client_version: Option<ClientVersion>,
}

/// How to report.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "How to report")]
pub(super) struct Show {
    /// Print one JSON object and nothing else.
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// The least severity that counts for the exit status and among the problems.
    #[arg(
        long,
        value_name = "SEVERITY",
        global = true,
        value_enum,
        default_value = "warning"
    )]
    pub(super) severity_min: Threshold,
    /// Print only ASCII.
    #[arg(long, global = true)]
    pub(super) ascii: bool,
    /// Print less: only what sums it up.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Print more: also what is healthy, and where was looked.
    #[arg(short, long, global = true)]
    pub(super) verbose: bool,
}

impl Show {
    /// How much is told.
    pub(super) fn detail(&self) -> Detail {
        match (self.quiet, self.verbose) {
            (true, _) => Detail::Brief,
            (false, true) => Detail::Full,
            (false, false) => Detail::Usual,
        }
    }
}

/// Which findings count.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Filter {
    /// Only findings with this id, or whose id begins with it, such as codex.store; may be given several times.
    #[arg(long, value_name = "ID")]
    only: Vec<String>,
    /// Leave out findings with this id, or whose id begins with it; may be given several times.
    #[arg(long, value_name = "ID")]
    skip: Vec<String>,
}

/// A severity on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Threshold {
    /// Everything.
    Info,
    /// What is or may be lost.
    Warning,
    /// Only what does not come back.
    Error,
}

impl Threshold {
    pub(super) fn severity(self) -> Severity {
        match self {
            Self::Info => Severity::Info,
            Self::Warning => Severity::Warning,
            Self::Error => Severity::Error,
        }
    }
}

impl Filter {
    /// True where nothing was filtered.
    pub(super) fn is_empty(&self) -> bool {
        self.only.is_empty() && self.skip.is_empty()
    }

    /// Refuses ids that no check has.
    pub(super) fn verify(&self) -> Result<(), Failure> {
        for wanted in self.only.iter().chain(&self.skip) {
            let known: Vec<&str> = agents::ALL
                .iter()
                .flat_map(|agent| (agent.checks)())
                .map(|a| a.id)
                .collect();
            if !known.iter().any(|id| belongs(id, wanted)) {
                return Err(Failure::Usage {
                    what: format!("no check has the id {wanted}"),
                    hint: like(wanted, known),
                });
            }
        }
        Ok(())
    }

    /// Takes out the findings that do not count.
    pub(super) fn apply(&self, findings: &mut Vec<Finding>) {
        findings.retain(|finding| {
            let fits = |wanted: &String| belongs(&finding.id, wanted);
            (self.only.is_empty() || self.only.iter().any(fits)) && !self.skip.iter().any(fits)
        });
    }
}

/// A hint that names the ids most like the one that nobody has.
pub(super) fn like<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(wanted, known).as_slice() {
        [] => "rex-doctor list-checks lists all ids".to_owned(),
        near => format!("did you mean {}", near.join(", ")),
    }
}

impl Ready<'_> {
    /// The agents that were asked for; all of them where none was named.
    pub(super) fn agents(&self) -> Vec<&'static Agent> {
        let named = |agent: &Agent| self.asked.agent.iter().any(|name| name == agent.name);
        agents::ALL
            .iter()
            .copied()
            .filter(|agent| self.asked.agent.is_empty() || named(agent))
            .collect()
    }
}

fn belongs(id: &str, wanted: &str) -> bool {
    id.strip_prefix(wanted)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn names() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(agents::ALL.iter().map(|agent| agent.name))
}

fn version(text: &str) -> Result<ClientVersion, String> {
    ClientVersion::parse(text).ok_or_else(|| "a version begins with a number, such as 2.1.332".to_owned())
}
