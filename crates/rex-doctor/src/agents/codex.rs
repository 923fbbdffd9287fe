//! Codex (OpenAI's CLI, its app server and its terminal). Its own words: a *thread* is a session, a *rollout* is its log,
//! the *state database* is its store.

use super::{Agent, Ask, Quadrants, Question};
use crate::check::{About, Check};
use crate::diagnosis::{Diagnosis, Survey};
use crate::place::Place;

mod client;
mod conversation;
mod diagnosis;
mod home;
mod lineage;
mod log;
mod meta;
mod migrations;
mod name;
mod names;
mod rollout;
#[cfg(test)]
mod sample;
mod session;
mod shelf;
mod store;
mod survey;

/// What this folder offers to the frame.
pub const AGENT: Agent = Agent {
    name: "codex",
    title: "Codex",
    surfaces: &["exec", "exec_last", "app_server", "tui"],
    quadrants: Quadrants {
        has_present: "the row names the log: it resumes",
        has_missing: "the row decides, so the client looks nowhere else: it refuses, also where the log only moved",
        none_present: "the log is found by its name and the row is made again: it resumes, and lists may not show it",
        none_missing: "nothing to resume from: it refuses, and --last silently starts anew",
    },
    checks: || CHECKS.iter().map(|check| check.about).collect(),
    survey,
    diagnose,
};

/// All checks of one session.
const CHECKS: &[Check<session::Session>] = &[];

fn survey(place: &Place, ask: &Ask) -> Survey {
    survey::survey(place, ask)
}

fn diagnose(place: &Place, question: &Question) -> Diagnosis {
    diagnosis::diagnose(place, question)
}
