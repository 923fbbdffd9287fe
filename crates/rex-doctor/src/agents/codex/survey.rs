//! Surveys the effective home.

use super::AGENT;
use super::client;
use super::home;
use crate::agents::Ask;
use crate::diagnosis::{Client, Home as ShownHome, Survey, VersionFrom};
use crate::place::Place;

/// Surveys the home.
pub(super) fn survey(place: &Place, ask: &Ask) -> Survey {
    let home = home::home(place);
    let found = home::others(place, &home);
    let (version, from) = match &ask.client_version {
        Some(version) => (version.clone(), VersionFrom::Flag),
        None => (client::newest_version(), VersionFrom::Known),
    };
    Survey {
        agent: AGENT.name,
        home: ShownHome {
            path: home.path.display().to_string(),
            from: home.from(),
            others: found
                .homes
                .iter()
                .map(|path| path.display().to_string())
                .collect(),
        },
        exists: home.folder == home::Folder::Directory,
        client: Client {
            version: version.to_string(),
            from,
        },
        findings: vec![],
        sessions: vec![],
        complete: true,
    }
}
