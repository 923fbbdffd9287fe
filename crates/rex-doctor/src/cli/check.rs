//! `check`: every agent found on this machine, problems first.

use clap::Args;

use super::asked::Filter;
use super::{Failure, Ready};
use crate::agents::Ask;
use crate::exit_status::ExitStatus;
use crate::report::check::{self, Checked, Report};
use crate::report::json;

pub(super) const EXAMPLES: &str = "Examples:
  rex-doctor check
  rex-doctor check --deep --agent codex
  rex-doctor check --root /mnt/backup --json";

/// Check every agent found on this machine (what happens without a command).
#[derive(Debug, Default, Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// Read every log whole, not only 64 KiB of its head and tail.
    #[arg(long)]
    deep: bool,
    #[command(flatten)]
    filter: Filter,
}

impl Arguments {
    /// True where no option was given.
    pub(super) fn is_empty(&self) -> bool {
        !self.deep && self.filter.is_empty()
    }
}

pub(super) fn run(arguments: &Arguments, ready: &mut Ready<'_>) -> Result<ExitStatus, Failure> {
    arguments.filter.verify()?;
    let ask = Ask {
        client_version: ready.asked.client_version.clone(),
        deep: arguments.deep,
        here: None,
    };
    let least = ready.show.severity_min.severity();
    let mut agents = vec![];
    for place in &ready.places {
        for agent in ready.agents() {
            let mut survey = (agent.survey)(place, &ask);
            arguments.filter.apply(&mut survey.findings);
            for line in &mut survey.sessions {
                arguments.filter.apply(&mut line.findings);
            }
            agents.push(Checked::new(agent, survey, least));
        }
    }
    let report = Report::new(agents);
    if ready.show.json {
        json::print(&report, ready.out)?;
    } else {
        check::print(&report, ready.show.detail(), &ready.style, ready.out)?;
    }
    Ok(if report.is_busy() {
        ExitStatus::Busy
    } else if report.has_findings(least) {
        ExitStatus::Findings
    } else {
        ExitStatus::Healthy
    })
}
