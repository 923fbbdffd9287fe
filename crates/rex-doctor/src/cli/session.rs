//! `session`: the whole diagnosis of one session.

use std::path::PathBuf;

use clap::Args;

use super::{Failure, Ready};
use crate::agents::{Agent, Question};
use crate::check::Severity;
use crate::diagnosis::{Candidate, Diagnosis, StoreState};
use crate::exit_status::ExitStatus;
use crate::place::Place;
use crate::report::candidates::{self, Candidates};
use crate::report::{json, session};

pub(super) const EXAMPLES: &str = "Examples:
  rex-doctor session 4f0c9a1e
  rex-doctor session latest --agent codex --cwd ~/app
  rex-doctor session 4f0c9a1e --agent claude --surface resume --json";

/// Say why this session does not come back, and what brings it back.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// What you would hand to the agent's own resume command: an id, a prefix, a name, an index, `latest`, a path.
    #[arg(value_name = "ARG", allow_hyphen_values = true)]
    argument: String,
    /// Forecast only this way of asking; may be given several times.
    #[arg(long, value_name = "SURFACE")]
    surface: Vec<String>,
    /// Where an application around the agent believes the log to be.
    #[arg(long, value_name = "PATH")]
    host_log: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, ready: &mut Ready<'_>) -> Result<ExitStatus, Failure> {
    let agents = ready.agents();
    let asked = questions(arguments, &agents, ready)?;
    let is_one_agent = ready.asked.agent.len() == 1;
    let mut known = vec![];
    let mut unknown = vec![];
    for (agent, question) in &asked {
        let here = in_places(&ready.places, agent, question);
        if has_trace(&here) {
            known.push((*agent, here));
        } else {
            unknown.push((*agent, here));
        }
    }
    let only = match (known.len(), is_one_agent) {
        (1, _) => known.pop(),
        (0, true) => unknown.pop(),
        _ => None,
    };
    if let Some((agent, diagnosis)) = only {
        let status = status(&diagnosis, ready.show.severity_min.severity());
        if ready.show.json {
            json::print(&diagnosis, ready.out)?;
        } else {
            session::print(agent, &diagnosis, ready.show.verbose, &ready.style, ready.out)?;
        }
        return Ok(status);
    }
    let status = if known.is_empty() {
        ExitStatus::NoTrace
    } else {
        ExitStatus::Ambiguous
    };
    let several = if known.is_empty() { unknown } else { known };
    let list = several
        .into_iter()
        .flat_map(|(_, diagnosis)| named(diagnosis))
        .collect();
    let answer = Candidates::new(&arguments.argument, list);
    if ready.show.json {
        json::print(&answer, ready.out)?;
    } else {
        candidates::print(&answer, status, &ready.style, ready.out)?;
    }
    Ok(status)
}

fn questions(
    arguments: &Arguments,
    agents: &[&'static Agent],
    ready: &Ready<'_>,
) -> Result<Vec<(&'static Agent, Question)>, Failure> {
    let wanted =
        |surface: &&str| arguments.surface.is_empty() || arguments.surface.iter().any(|name| name == surface);
    for name in &arguments.surface {
        if !agents.iter().any(|agent| agent.surfaces.contains(&name.as_str())) {
            let known: Vec<&str> = agents.iter().flat_map(|agent| agent.surfaces).copied().collect();
            return Err(Failure::Usage {
                what: format!("no surface is called {name}"),
                hint: format!("the surfaces are {}", known.join(", ")),
            });
        }
    }
    let question = |agent: &&'static Agent| {
        let surfaces: Vec<&'static str> = agent.surfaces.iter().copied().filter(wanted).collect();
        let question = Question {
            argument: arguments.argument.clone(),
            client_version: ready.asked.client_version.clone(),
            surfaces,
            host_log: arguments.host_log.clone(),
        };
        (*agent, question)
    };
    Ok(agents
        .iter()
        .map(question)
        .filter(|(_, question)| !question.surfaces.is_empty())
        .collect())
}

/// Asks in every home and keeps the answer of the first one that has a trace.
fn in_places(places: &[Place], agent: &Agent, question: &Question) -> Diagnosis {
    let mut answers = places.iter().map(|place| (agent.diagnose)(place, question));
    let first = answers.next().expect("there is at least one place");
    if has_trace(&first) {
        return first;
    }
    answers.find(has_trace).unwrap_or(first)
}

fn has_trace(diagnosis: &Diagnosis) -> bool {
    !diagnosis.has_finding("argument.no_trace")
}

/// The candidates of an answer; for one session that is known, itself.
fn named(diagnosis: Diagnosis) -> Vec<Candidate> {
    match diagnosis.session {
        Some(session) if diagnosis.candidates.is_empty() => {
            vec![Candidate {
                agent: diagnosis.agent,
                session,
                title: None,
                last_activity: None,
            }]
        }
        Some(_) | None => diagnosis.candidates,
    }
}

fn status(diagnosis: &Diagnosis, least: Severity) -> ExitStatus {
    if diagnosis.store.state == StoreState::Busy {
        ExitStatus::Busy
    } else if diagnosis.has_finding("argument.ambiguous") {
        ExitStatus::Ambiguous
    } else if !has_trace(diagnosis) {
        ExitStatus::NoTrace
    } else if diagnosis.findings.iter().any(|finding| finding.severity >= least) {
        ExitStatus::Findings
    } else {
        ExitStatus::Healthy
    }
}
