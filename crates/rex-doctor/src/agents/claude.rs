//! Claude Code and the Claude Agent SDK. Their own words: a *transcript* is a session's log, the *project key* is the
//! name of the folder that the sessions of one working folder lie in, the *config directory* is the home. There is no
//! record beside the log: the store is what the client's lookup answers.

use super::{Agent, Ask, Quadrants, Question};
use crate::check::{About, Check};
use crate::diagnosis::{Diagnosis, Survey};
use crate::place::Place;

mod anatomy;
mod client;
mod diagnosis;
mod entry;
mod graph;
mod home;
mod key;
mod log;
mod row;
mod session;
mod store;
mod survey;
mod torn;

use session::Session;

/// What this folder offers to the frame.
pub const AGENT: Agent = Agent {
    name: "claude",
    title: "Claude Code",
    surfaces: &["resume", "continue", "sdk"],
    quadrants: Quadrants {
        has_present: "the client finds the log and loads it; how much of it, its links and times decide",
        has_missing: "the client finds a log that is not the one an application looks at: it resumes that one",
        none_present: "the log is there and the client does not look there, or finds nothing in it: it refuses",
        none_missing: "nothing to resume from: it refuses, and --continue silently starts anew",
    },
    checks,
    survey,
    diagnose,
};

/// Checks of the config directory.
const HOME_CHECKS: &[Check<Session>] = &[];

/// Checks of one log, whatever the client was asked.
const LOG_CHECKS: &[Check<Session>] = &[];

/// All checks of one session.
const CHECKS: &[Check<Session>] = &[];

fn checks() -> Vec<About> {
    CHECKS.iter().map(|check| check.about).collect()
}

fn survey(place: &Place, ask: &Ask) -> Survey {
    survey::survey(place, ask)
}

fn diagnose(place: &Place, question: &Question) -> Diagnosis {
    diagnosis::diagnose(place, question)
}
