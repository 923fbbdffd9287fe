//! Codex (`OpenAI`'s CLI, its app server and its terminal). Its own words: a *thread* is a session, a *rollout* is its log,
//! the *state database* is its store.

use super::{Agent, Ask, Quadrants, Question};
use crate::check::Check;
use crate::diagnosis::{Diagnosis, Survey};
use crate::place::Place;

mod argument;
mod client;
mod conversation;
mod databases;
mod diagnosis;
mod gather;
mod home;
mod lineage;
mod log;
mod meta;
mod migrations;
mod mismatch;
mod name;
mod names;
mod projection;
mod remedy;
mod rollout;
mod row;
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
const CHECKS: &[Check<session::Session>] = &[
    home::no_such_folder::CHECK,
    home::relative::CHECK,
    home::settings_unreadable::CHECK,
    home::elsewhere::CHECK,
    home::two_state_dbs::CHECK,
    home::not_writable::CHECK,
    home::two_generations::CHECK,
    home::folder_unreadable::CHECK,
    store::row_without_log::CHECK,
    store::stale_path::CHECK,
    store::foreign_path::CHECK,
    store::no_row::CHECK,
    store::archived_flag::CHECK,
    store::unreadable::CHECK,
    store::migration_altered::CHECK,
    store::migration_dirty::CHECK,
    store::schema_differs::CHECK,
    store::schema_newer::CHECK,
    store::locked::CHECK,
    store::backfill_stuck::CHECK,
    store::read_only::CHECK,
    store::history_db_damaged::CHECK,
    store::side_damaged::CHECK,
    store::cursor_behind::CHECK,
    log::archived::CHECK,
    log::name_changed::CHECK,
    log::out_of_tree::CHECK,
    log::head_unreadable::CHECK,
    log::other_thread::CHECK,
    log::mode_unknown::CHECK,
    log::last_ordinal::CHECK,
    log::history_cut::CHECK,
    log::taken_back::CHECK,
    log::compacted_without_prompt::CHECK,
    log::lineage_broken::CHECK,
    log::two_files::CHECK,
    log::legacy_format::CHECK,
    log::compressed::CHECK,
    log::not_readable::CHECK,
    log::not_writable::CHECK,
    log::name_not_canonical::CHECK,
    log::open_turn::CHECK,
    log::too_fresh::CHECK,
    mismatch::history_mode::CHECK,
    mismatch::host_log::CHECK,
    client::active_writer::CHECK,
    client::lock_refused::CHECK,
    client::provider_unknown::CHECK,
    client::provider_differs::CHECK,
    client::default_provider_unknown::CHECK,
    client::not_signed_in::CHECK,
    client::versions_mixed::CHECK,
    client::last_starts_new::CHECK,
    client::hidden_in_picker::CHECK,
    argument::treated_as_name::CHECK,
    argument::ambiguous::CHECK,
    argument::no_trace::CHECK,
    argument::trace_only::CHECK,
];

fn survey(place: &Place, ask: &Ask) -> Survey {
    survey::survey(place, ask)
}

fn diagnose(place: &Place, question: &Question) -> Diagnosis {
    diagnosis::diagnose(place, question)
}
