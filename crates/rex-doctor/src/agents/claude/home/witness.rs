//! What proves that a session existed, beside its log.

use std::path::PathBuf;

use jiff::Timestamp;

use super::{ConfigDir, LARGEST_BYTES};
use crate::evidence::Says;
use crate::place::Place;

/// Something that proves that a session existed, beside its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Witness {
    pub(in super::super) path: PathBuf,
    pub(in super::super) says: &'static str,
    pub(in super::super) modified: Option<Timestamp>,
}

/// What else in the config directory knows the session.
pub(in super::super) fn witnesses(place: &Place, config: &ConfigDir, session: &str) -> Vec<Witness> {
    let mut found = vec![];
    let mut note = |path: PathBuf, says: &'static str| {
        if let Says::Read(stat) = place.stat(&path) {
            found.push(Witness {
                path,
                says,
                modified: Some(stat.modified),
            });
        }
    };
    if let Says::Read(keys) = place.list(&config.projects()) {
        for key in keys.entries {
            let side = key.path.join(session);
            note(side.join("subagents"), "transcripts of its subagents");
            note(side.join("tool-results"), "results of its tools");
            note(side.join("custom-title.json"), "its title");
        }
    }
    note(
        config.path.join("file-history").join(session),
        "its checkpoints of files",
    );
    note(config.path.join("session-env").join(session), "its environment");
    note(config.path.join("tasks").join(session), "its tasks");
    note(
        config
            .path
            .join("todos")
            .join(format!("{session}-agent-{session}.json")),
        "its list of things to do",
    );
    found.extend(in_history(place, config, session));
    found.extend(in_state_file(place, config, session));
    found
}

fn in_history(place: &Place, config: &ConfigDir, session: &str) -> Option<Witness> {
    let path = config.path.join("history.jsonl");
    let file = place.open(&path).read()?;
    let modified = file.stat().modified;
    let mut lines = rex_store::jsonl::Lines::new(file);
    while let Ok(Some(line)) = lines.read() {
        if memchr::memmem::find(line.text, session.as_bytes()).is_some() {
            return Some(Witness {
                path,
                says: "a prompt that was typed in it",
                modified: Some(modified),
            });
        }
    }
    None
}

fn in_state_file(place: &Place, config: &ConfigDir, session: &str) -> Option<Witness> {
    let path = config.state_file(place);
    let value = place.read_json(&path, LARGEST_BYTES).read()?;
    let projects = value.get("projects")?.as_object()?;
    let last = projects
        .values()
        .filter_map(|project| project.get("lastSessionId")?.as_str());
    let is_last = last.into_iter().any(|id| id == session);
    is_last.then_some(Witness {
        path,
        says: "the last session of a project",
        modified: None,
    })
}

/// When the client last swept old logs.
pub(in super::super) fn last_cleanup(place: &Place, config: &ConfigDir) -> Option<Timestamp> {
    let path = config.path.join(".last-cleanup");
    let text = place.read_text(&path).read()?;
    let written = text.trim().parse().ok();
    written.or_else(|| place.stat(&path).read().map(|stat| stat.modified))
}
