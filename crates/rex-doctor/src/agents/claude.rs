//! Claude Code and the Claude Agent SDK. Their own words: a *transcript* is a session's log, the *project key* is the
//! name of the folder that the sessions of one working folder lie in, the *config directory* is the home. There is no
//! record beside the log: the store is what the client's lookup answers.

use super::{Agent, Ask, Quadrants, Question};
use crate::check::{About, Check};
use crate::diagnosis::{Diagnosis, Survey};
use crate::place::Place;

mod anatomy;
mod argument;
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
const HOME_CHECKS: &[Check<Session>] = &[
    home::variable_empty::CHECK,
    home::variable_tilde::CHECK,
    home::variable_relative::CHECK,
    home::state_file_torn::CHECK,
    home::settings_invalid::CHECK,
];

/// Checks of one log, whatever the client was asked.
const LOG_CHECKS: &[Check<Session>] = &[
    log::no_chain_rows::CHECK,
    log::unreadable::CHECK,
    log::not_writable::CHECK,
    log::chain_gap::CHECK,
    log::extra_root::CHECK,
    log::duplicate_uuid::CHECK,
    log::rows_without_uuid::CHECK,
    log::parent_loop::CHECK,
    log::two_branches::CHECK,
    log::rewound::CHECK,
    log::compacted::CHECK,
    log::bad_lines::CHECK,
    log::malformed_row::CHECK,
    log::prompt_without_text::CHECK,
    log::open_tool_pair::CHECK,
    log::not_read_whole::CHECK,
    log::cleanup_due::CHECK,
    log::large::CHECK,
    client::background_holder::CHECK,
];

/// All checks of one session.
const CHECKS: &[Check<Session>] = &[
    home::session_elsewhere::CHECK,
    home::host_differs::CHECK,
    home::variable_empty::CHECK,
    home::variable_tilde::CHECK,
    home::variable_relative::CHECK,
    home::state_file_torn::CHECK,
    home::state_file_absent::CHECK,
    home::settings_invalid::CHECK,
    store::other_key::CHECK,
    store::by_scan_only::CHECK,
    store::ambiguous_keys::CHECK,
    store::symlinked_key::CHECK,
    store::shadowed_copy::CHECK,
    store::host_key_differs::CHECK,
    store::shared_key::CHECK,
    store::picker_index_stale::CHECK,
    log::no_chain_rows::CHECK,
    log::unreadable::CHECK,
    log::not_writable::CHECK,
    log::not_a_log::CHECK,
    log::chain_gap::CHECK,
    log::extra_root::CHECK,
    log::duplicate_uuid::CHECK,
    log::rows_without_uuid::CHECK,
    log::parent_loop::CHECK,
    log::two_branches::CHECK,
    log::rewound::CHECK,
    log::compacted::CHECK,
    log::bad_lines::CHECK,
    log::malformed_row::CHECK,
    log::prompt_without_text::CHECK,
    log::open_tool_pair::CHECK,
    log::large::CHECK,
    log::not_read_whole::CHECK,
    log::cleanup_due::CHECK,
    log::cleaned::CHECK,
    log::lost::CHECK,
    client::persistence_off::CHECK,
    client::background_holder::CHECK,
    client::stale_registry::CHECK,
    client::continue_starts_new::CHECK,
    client::sdk_differs::CHECK,
    client::versions_mixed::CHECK,
    client::version_unseen::CHECK,
    argument::neither_uuid_nor_title::CHECK,
    argument::letter_case::CHECK,
    argument::foreign_id::CHECK,
    argument::ambiguous::CHECK,
    argument::no_such_file::CHECK,
    argument::address::CHECK,
    argument::no_trace::CHECK,
];

fn checks() -> Vec<About> {
    CHECKS.iter().map(|check| check.about).collect()
}

fn survey(place: &Place, ask: &Ask) -> Survey {
    survey::survey(place, ask)
}

fn diagnose(place: &Place, question: &Question) -> Diagnosis {
    diagnosis::diagnose(place, question)
}
