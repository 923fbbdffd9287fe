//! Surveys a config directory: its sessions, and what would become of each if it were resumed in its own folder.

use std::path::{Path, PathBuf};

use crate::agents::Ask;
use crate::diagnosis::{Client, Home, Survey, VersionFrom};
use crate::place::Place;

use super::AGENT;
use super::client;
use super::client::lookup::Reader;
use super::diagnosis::naming::newest_version;
use super::home::{self, ConfigDir};
use super::store;

mod line;

/// The effective config directory with all its sessions.
pub(super) fn survey(place: &Place, ask: &Ask) -> Survey {
    let config = ConfigDir::of_client(place);
    let reader = Reader::new(place, &config);
    let (others, _) = home::others(place, &config);
    let (version, from) = match &ask.client_version {
        Some(version) => (version.clone(), VersionFrom::Flag),
        None => match newest_version(&reader) {
            Some(version) => (version, VersionFrom::Home),
            None => (client::NEWEST, VersionFrom::Known),
        },
    };
    let logs: Vec<(String, PathBuf)> = store::sessions(place, &config);
    let common = line::Common::of(place, &config, &version);
    let lines = crate::scan::each(&logs, place.workers(), |(id, path)| {
        line::of(place, &common, id, path, ask.deep)
    });
    let here = ask
        .here
        .as_deref()
        .map(|here| here.to_string_lossy().into_owned());
    let is_here = |folder: Option<&str>| here.as_deref().is_none_or(|here| folder == Some(here));
    Survey {
        agent: AGENT.name,
        exists: place.is_directory(&config.path),
        home: Home {
            path: config.path.display().to_string(),
            from: config.from().to_owned(),
            others: others.iter().map(|path| path.display().to_string()).collect(),
        },
        client: Client {
            version: version.to_string(),
            from,
        },
        findings: common.findings(),
        sessions: lines
            .into_iter()
            .filter(|line| is_here(line.folder.as_deref()))
            .collect(),
        complete: true,
    }
}

/// The name of the folder that a log lies in.
fn key_name(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name);
    folder
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}
