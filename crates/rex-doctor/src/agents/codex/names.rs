//! What an argument means that is no thread id: a name, or something that only the doctor can complete.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::home::Home;
use super::log::{Files, Spot};
use super::name;
use super::shelf;
use super::store::{self, Row};
use crate::place::Place;

/// How an argument came to mean a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// It is the id, in a spelling that the client takes.
    Id,
    /// It is the session's name or title, which `codex exec resume` takes.
    Name,
    /// It is the name of a session that the client's listing does not show from here; the client does not take it.
    HiddenName,
    /// It is the beginning of exactly one id; the client does not take it.
    Prefix,
    /// It is the path or the name of a log; the client does not take it.
    File,
    /// It is the word for the newest session; the client takes it for a name.
    Latest,
}

/// What an argument means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meant {
    /// One session.
    One {
        /// Its id.
        id: String,
        /// How.
        how: How,
    },
    /// Several sessions.
    Several(Vec<String>),
    /// None.
    Nothing,
}

impl Meant {
    /// The session, if it is exactly one.
    pub(super) fn id(&self) -> Option<&str> {
        match self {
            Meant::One { id, .. } => Some(id),
            Meant::Several(_) | Meant::Nothing => None,
        }
    }

    /// How it came to mean one.
    pub(super) fn how(&self) -> Option<How> {
        match self {
            Meant::One { how, .. } => Some(*how),
            Meant::Several(_) | Meant::Nothing => None,
        }
    }

    fn of(mut ids: Vec<String>, how: How) -> Option<Self> {
        ids.sort();
        ids.dedup();
        match ids.as_slice() {
            [] => None,
            [id] => Some(Meant::One { id: id.clone(), how }),
            _ => Some(Meant::Several(ids)),
        }
    }
}

/// Finds out what the argument means.
pub(super) fn meant(
    place: &Place,
    home: &Home,
    files: &Files,
    argument: &str,
    id: &Result<String, String>,
) -> Meant {
    if let Ok(id) = id {
        return Meant::One {
            id: id.clone(),
            how: How::Id,
        };
    }
    if let Some(id) = file_id(argument) {
        return Meant::One { id, how: How::File };
    }
    let state = store::state(place, &home.state_db(), None);
    let rows = state
        .read()
        .map(|state| state.newest.as_slice())
        .unwrap_or_default();
    if let Some(named) = named(place, home, files, rows, argument) {
        return named;
    }
    if argument == "latest"
        && let Some(row) = rows.iter().find(|row| !row.is_listed_archived)
    {
        return Meant::One {
            id: row.id.clone(),
            how: How::Latest,
        };
    }
    let lower = argument.to_lowercase();
    let is_prefix =
        |id: &str| !lower.is_empty() && (id.starts_with(&lower) || id.replace('-', "").starts_with(&lower));
    let all = rows
        .iter()
        .map(|row| &row.id)
        .chain(files.rollouts.iter().map(|file| &file.id));
    let fitting: Vec<String> = all.filter(|id| is_prefix(id)).cloned().collect();
    Meant::of(fitting, How::Prefix).unwrap_or(Meant::Nothing)
}

/// The id in the name of a rollout, given as a name or a path.
fn file_id(argument: &str) -> Option<String> {
    name::rollout_name(Path::new(argument).file_name()?).map(|name| name.id)
}

/// The sessions of that name, title or entry in the index of names. `codex exec resume` takes only one that its listing
/// shows; where it shows several, it silently takes the newest.
fn named(place: &Place, home: &Home, files: &Files, rows: &[Row], argument: &str) -> Option<Meant> {
    if argument.trim().is_empty() {
        return None;
    }
    let index = index(place, home);
    let is_indexed = |id: &str| index.get(id).is_some_and(|name| name == argument);
    let has_name =
        |row: &&Row| row.name.as_deref() == Some(argument) || row.title == argument || is_indexed(&row.id);
    let rows: Vec<&Row> = rows.iter().filter(has_name).collect();
    let shown = rows.iter().filter(|row| shelf::is_shown(place, home, row));
    let shown = Meant::of(shown.map(|row| row.id.clone()).collect(), How::Name);
    let by_file = || {
        let found = files
            .rollouts
            .iter()
            .filter(|file| is_indexed(&file.id) && file.spot == Spot::Dated);
        Meant::of(found.map(|file| file.id.clone()).collect(), How::Name)
    };
    let hidden = || Meant::of(rows.iter().map(|row| row.id.clone()).collect(), How::HiddenName);
    shown.or_else(|| if rows.is_empty() { by_file() } else { hidden() })
}

/// The last name that the index gives each session.
fn index(place: &Place, home: &Home) -> BTreeMap<String, String> {
    #[derive(Deserialize)]
    struct Entry {
        id: String,
        thread_name: String,
    }
    let bytes = place
        .read(&home.path.join("session_index.jsonl"), 16 << 20)
        .read()
        .unwrap_or_default();
    let lines = bytes.split(|byte| *byte == b'\n');
    let entries = lines.filter_map(|line| serde_json::from_slice::<Entry>(line).ok());
    entries.map(|entry| (entry.id, entry.thread_name)).collect()
}
