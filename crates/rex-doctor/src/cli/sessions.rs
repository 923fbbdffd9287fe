//! `sessions`: lists the sessions of all agents, the newest first.

use clap::Args;

use super::asked::Filter;
use super::{Failure, Ready};
use crate::agents::Ask;
use crate::diagnosis::{SessionLine, StoreState};
use crate::exit_status::ExitStatus;
use crate::place::Place;
use crate::report::json;
use crate::report::sessions::{self, Sessions};

pub(super) const EXAMPLES: &str = "Examples:
  rex-doctor sessions --problems
  rex-doctor sessions --here --agent claude";

/// List the sessions of all agents, the newest first.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// Only sessions with problems.
    #[arg(long)]
    problems: bool,
    /// Only sessions of the working folder (--cwd).
    #[arg(long)]
    here: bool,
    /// Read every log whole, not only 64 KiB of its head and tail.
    #[arg(long)]
    deep: bool,
    #[command(flatten)]
    filter: Filter,
}

pub(super) fn run(arguments: &Arguments, ready: &mut Ready<'_>) -> Result<ExitStatus, Failure> {
    arguments.filter.verify()?;
    let least = ready.show.severity_min.severity();
    let mut lines = vec![];
    let mut complete = true;
    for place in &ready.places {
        let ask = Ask {
            client_version: ready.asked.client_version.clone(),
            deep: arguments.deep,
            here: arguments.here.then(|| place.cwd().to_owned()),
        };
        for agent in ready.agents() {
            let survey = (agent.survey)(place, &ask);
            complete &= survey.complete;
            lines.extend(
                survey
                    .sessions
                    .into_iter()
                    .filter(|line| !arguments.here || is_here(line, place)),
            );
        }
    }
    for line in &mut lines {
        arguments.filter.apply(&mut line.findings);
    }
    lines.retain(|line| !arguments.problems || line.is_problem(least));
    lines.sort_by(|a, b| {
        b.last_activity
            .cmp(&a.last_activity)
            .then_with(|| a.session.cmp(&b.session))
    });
    let status = if lines.iter().any(|line| line.store == StoreState::Busy) {
        ExitStatus::Busy
    } else if lines.iter().any(|line| line.is_problem(least)) {
        ExitStatus::Findings
    } else {
        ExitStatus::Healthy
    };
    let list = Sessions::new(lines, complete);
    if ready.show.json {
        json::print(&list, ready.out)?;
    } else {
        sessions::print(&list, ready.show.detail(), &ready.style, ready.out)?;
    }
    Ok(status)
}

fn is_here(line: &SessionLine, place: &Place) -> bool {
    let Some(folder) = line.folder.as_deref().map(std::path::Path::new) else {
        return false;
    };
    folder == place.cwd() || place.real_path(folder).read() == place.real_path(place.cwd()).read()
}
