//! `list-checks`: every id that can be emitted.

use clap::Args;

use super::{Failure, Ready};
use crate::exit_status::ExitStatus;
use crate::report::checks::{self, Checks};
use crate::report::json;

pub(super) const EXAMPLES: &str = "Examples:
  rex-doctor list-checks
  rex-doctor list-checks --json";

/// List every finding that the doctor knows.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct Arguments {}

pub(super) fn run(_: &Arguments, ready: &mut Ready<'_>) -> Result<ExitStatus, Failure> {
    let abouts: Vec<_> = ready.agents().iter().flat_map(|agent| (agent.checks)()).collect();
    let list = Checks::new(&abouts);
    if ready.show.json {
        json::print(&list, ready.out)?;
    } else {
        checks::print(&list, &ready.style, ready.out)?;
    }
    Ok(ExitStatus::Healthy)
}
