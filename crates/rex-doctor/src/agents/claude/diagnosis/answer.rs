//! What is known, in the words of the answer.

use super::super::AGENT;
use super::super::session::Session;
use crate::check::{Finding, Severity};
use crate::diagnosis::{Candidate, Log, LogState, Store, StoreState};
use crate::evidence::Says;
use crate::forecast::{Forecast, Outcome};

/// Names the findings that lead to a forecast which is not whole.
pub(super) fn name_reasons(forecast: &mut Forecast, findings: &[Finding]) {
    if forecast.is_whole() {
        return;
    }
    for finding in findings
        .iter()
        .filter(|finding| finding.severity >= Severity::Warning)
    {
        let is_of_other = match finding.id.as_str() {
            "claude.client.sdk_differs" => forecast.surface != "sdk",
            "claude.client.continue_starts_new" => forecast.surface != "continue",
            "claude.store.by_scan_only" => forecast.surface == "resume",
            "claude.client.background_holder" | "claude.home.state_file_torn" => forecast.surface == "sdk",
            _ => false,
        };
        if !is_of_other && forecast.because.len() < 8 {
            *forecast = forecast.clone().because(&finding.id);
        }
    }
}

pub(super) fn store_answer(session: &Session) -> Store {
    let path = session.computed.as_ref().and_then(|path| path.parent());
    let path = session
        .found
        .as_ref()
        .and_then(|(_, path)| path.parent())
        .or(path);
    let path = path.map(|path| path.display().to_string());
    let (state, detail) = match (&session.found, &session.failure, &session.log) {
        (Some((via, _)), ..) => (StoreState::Has, format!("the client finds it {}", via.words())),
        (None, Some(words), _) => (StoreState::Unreadable, words.clone()),
        (None, None, Some((_, Says::Unreadable(why)))) => (StoreState::Unreadable, why.to_string()),
        (None, None, _) => match &session.key_unreadable {
            Some(why) => (StoreState::Unreadable, why.to_string()),
            None => (
                StoreState::None,
                "the client's lookup ends without a log that it can load".to_owned(),
            ),
        },
    };
    Store {
        state,
        path,
        detail: Some(detail),
    }
}

pub(super) fn log_answer(session: &Session) -> Log {
    let Some((path, says)) = &session.log else {
        return Log {
            state: LogState::Missing,
            path: None,
            bytes: None,
            messages: None,
        };
    };
    let is_near_miss = session.near_misses.iter().any(|miss| miss.path == *path);
    let is_in_place = session.found.as_ref().is_some_and(|(_, found)| found == path)
        || session.computed.as_ref() == Some(path);
    let state = match says {
        Says::Absent => LogState::Missing,
        Says::Unreadable(_) => LogState::Unreadable,
        Says::Read(_) if is_near_miss || !is_in_place => LogState::Elsewhere,
        Says::Read(view) if view.fault_count > 0 || !view.is_loadable => LogState::Damaged,
        Says::Read(view) if view.anatomy.breaks.iter().any(|found| !found.is_bridged) => LogState::Damaged,
        Says::Read(_) => LogState::Present,
    };
    let view = session.view();
    let most = session.other_counts.iter().map(|(_, count)| *count).max();
    Log {
        state,
        path: Some(path.display().to_string()),
        bytes: view.map(|view| view.bytes),
        messages: view.map(|view| {
            let mut messages = view.counts.messages();
            messages.recorded = messages.recorded.max(most);
            if session.has_outcome("resume", Outcome::Unknown) {
                messages.loaded = None;
            }
            messages
        }),
    }
}

pub(super) fn candidates(session: &Session) -> Vec<Candidate> {
    let ids = if session.candidates.is_empty() {
        &session.nearest
    } else {
        &session.candidates
    };
    ids.iter()
        .map(|id| Candidate {
            agent: AGENT.name,
            session: id.clone(),
            title: None,
            last_activity: None,
        })
        .collect()
}
