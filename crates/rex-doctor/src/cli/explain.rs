//! `explain`: what a finding means.

use clap::Args;

use super::asked::like;
use super::{Failure, Ready};
use crate::agents;
use crate::exit_status::ExitStatus;
use crate::report::explain::{self, Explanation};
use crate::report::json;

pub(super) const EXAMPLES: &str = "Examples:
  rex-doctor explain codex.store.stale_path
  rex-doctor explain codex.store.stale_path --json";

/// Explain a finding: what it means, how it is recognised, what still works, what to do.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// The finding's id, such as `codex.store.stale_path`.
    #[arg(value_name = "ID")]
    id: String,
}

pub(super) fn run(arguments: &Arguments, ready: &mut Ready<'_>) -> Result<ExitStatus, Failure> {
    let checks: Vec<_> = agents::ALL.iter().flat_map(|agent| (agent.checks)()).collect();
    let Some(about) = checks.iter().find(|about| about.id == arguments.id) else {
        return Err(Failure::Usage {
            what: format!("no check has the id {}", arguments.id),
            hint: like(&arguments.id, checks.iter().map(|about| about.id)),
        });
    };
    let explanation = Explanation::new(about);
    if ready.show.json {
        json::print(&explanation, ready.out)?;
    } else {
        explain::print(&explanation, &ready.style, ready.out)?;
    }
    Ok(ExitStatus::Healthy)
}
