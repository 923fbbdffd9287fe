//! Which session an argument means, the files that may be its log, and the version that is asked about.

use std::path::{Path, PathBuf};

use super::super::client::lookup::Reader;
use super::super::client::{self, Meaning, listing};
use super::super::home::ConfigDir;
use super::super::key;
use super::super::store::{self, Copy};
use crate::agents::Question;
use crate::diagnosis::VersionFrom;
use crate::evidence::Says;
use crate::nearest::nearest;
use crate::version::ClientVersion;

/// The session that an argument means.
#[derive(Default)]
pub(super) struct Named {
    pub(super) id: Option<String>,
    pub(super) candidates: Vec<String>,
    pub(super) nearest: Vec<String>,
}

pub(super) fn name(reader: &Reader<'_>, meaning: &Meaning, others: &[PathBuf]) -> Named {
    let known = known_ids(reader, others);
    match meaning {
        Meaning::Id(id) => by_id(id, &known),
        Meaning::Path(path) => match Path::new(path).file_stem().map(|stem| stem.to_string_lossy()) {
            Some(stem) if key::is_uuid(&stem) => by_id(&stem, &known),
            Some(_) | None => Named::default(),
        },
        Meaning::Address => Named::default(),
        Meaning::Title(title) => by_title(reader, title, &known),
    }
}

/// The ids of all sessions, in every config directory.
fn known_ids(reader: &Reader<'_>, others: &[PathBuf]) -> Vec<String> {
    let others = others.iter().map(|other| ConfigDir::at(other));
    let own = store::sessions(reader.place, reader.config);
    let elsewhere = others.flat_map(|other| store::sessions(reader.place, &other));
    let mut known: Vec<String> = own.into_iter().chain(elsewhere).map(|(id, _)| id).collect();
    known.sort();
    known.dedup();
    known
}

fn like(wanted: &str, known: &[String]) -> Vec<String> {
    let near = nearest(wanted, known.iter().map(String::as_str));
    near.into_iter().map(str::to_owned).collect()
}

fn by_id(id: &str, known: &[String]) -> Named {
    let stored = known
        .iter()
        .find(|known| *known == id || known.eq_ignore_ascii_case(id));
    Named {
        nearest: stored.map_or_else(|| like(id, known), |_| vec![]),
        id: Some(stored.map_or_else(|| id.to_owned(), String::clone)),
        candidates: vec![],
    }
}

fn by_title(reader: &Reader<'_>, title: &str, known: &[String]) -> Named {
    let titled = listing::titled(reader, title, client::rules(&client::NEWEST).0);
    let mut fits: Vec<String> = titled.into_iter().map(|entry| entry.session).collect();
    if fits.is_empty() && !title.is_empty() {
        let start = title.to_lowercase();
        fits.extend(known.iter().filter(|id| id.starts_with(&start)).cloned());
    }
    match fits.as_slice() {
        [only] => Named {
            id: Some(only.clone()),
            ..Named::default()
        },
        [] => Named {
            nearest: like(title, known),
            ..Named::default()
        },
        _ => Named {
            candidates: fits,
            ..Named::default()
        },
    }
}

/// The files that may be the session's log.
pub(super) struct Files {
    pub(super) copies: Vec<Copy>,
    pub(super) elsewhere: Vec<Copy>,
    pub(super) near_misses: Vec<store::NearMiss>,
    pub(super) given: Option<PathBuf>,
}

impl Files {
    pub(super) fn of(reader: &Reader<'_>, id: Option<&str>, others: &[PathBuf], meaning: &Meaning) -> Self {
        let place = reader.place;
        let given = match meaning {
            Meaning::Path(path) => Some(place.absolute(Path::new(path))),
            Meaning::Id(_) | Meaning::Address | Meaning::Title(_) => None,
        };
        let mut files = Self {
            copies: vec![],
            elsewhere: vec![],
            near_misses: vec![],
            given: given.filter(|path| place.is_file(path)),
        };
        if let Some(id) = id {
            files.copies = store::copies(place, reader.config, id);
            files.near_misses = store::near_misses(place, reader.config, id);
            for other in others {
                files
                    .elsewhere
                    .extend(store::copies(place, &ConfigDir::at(other), id));
            }
        }
        files
    }

    fn best(&self) -> Option<&Path> {
        let mut copies = self.copies.iter().chain(&self.elsewhere);
        let first = copies.find(|copy| copy.is_file()).map(|copy| copy.path.as_path());
        self.given
            .as_deref()
            .or(first)
            .or_else(|| self.near_misses.first().map(|miss| miss.path.as_path()))
    }
}

pub(super) fn version(
    reader: &Reader<'_>,
    question: &Question,
    files: &Files,
) -> (ClientVersion, VersionFrom) {
    if let Some(version) = &question.client_version {
        return (version.clone(), VersionFrom::Flag);
    }
    let in_log = files.best().and_then(|path| match &*reader.log(path) {
        Says::Read(log) => log.facts.last_version.as_deref().and_then(ClientVersion::parse),
        Says::Absent | Says::Unreadable(_) => None,
    });
    if let Some(version) = in_log {
        return (version, VersionFrom::Session);
    }
    match newest_version(reader) {
        Some(version) => (version, VersionFrom::Home),
        None => (client::NEWEST, VersionFrom::Known),
    }
}

/// The version in the newest log of the config directory.
pub(in super::super) fn newest_version(reader: &Reader<'_>) -> Option<ClientVersion> {
    let logs = store::sessions(reader.place, reader.config);
    let mut dated: Vec<_> = logs
        .into_iter()
        .filter_map(|(_, path)| Some((reader.place.stat(&path).read()?.modified, path)))
        .collect();
    dated.sort();
    dated.iter().rev().take(8).find_map(|(_, path)| {
        let facts = listing::facts_of(&reader.ends(path)?);
        ClientVersion::parse(&facts.last_version?)
    })
}
