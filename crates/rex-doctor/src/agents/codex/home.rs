//! Finds the home that Codex would use, the folder of its SQLite files, and what its settings say that a resume depends
//! on. Judges nothing.

use std::path::{Path, PathBuf};

use super::log::Files;
use crate::evidence::{Says, Why};
use crate::place::homes::{OtherHomes, Wanted};
use crate::place::{Kind, Place, Stat};

pub(super) mod config;
pub(super) mod elsewhere;
pub(super) mod folder_unreadable;
pub(super) mod no_such_folder;
pub(super) mod not_writable;
pub(super) mod relative;
pub(super) mod settings_unreadable;
pub(super) mod two_generations;
pub(super) mod two_state_dbs;

use config::Config;

/// What selects the home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Selected {
    /// `CODEX_HOME`, with its value as given.
    Variable(String),
    /// Nothing does: `HOME/.codex`.
    Default,
}

/// What lies where the home should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Folder {
    /// A directory.
    Directory,
    /// Nothing.
    Missing,
    /// Something else.
    NotDirectory,
    /// A folder above it may not be entered.
    Hidden,
}

/// The home as the environment selects it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Home {
    /// Its path: with symlinks resolved where `CODEX_HOME` names it, as the client does.
    pub(super) path: PathBuf,
    /// What selects it.
    pub(super) selected: Selected,
    /// What lies there.
    pub(super) folder: Folder,
    /// The settings.
    pub(super) config: Says<Config>,
    /// The folder of the SQLite files.
    pub(super) sqlite_folder: PathBuf,
    /// False where mode or owner keep the client from entering or reading it.
    pub(super) is_readable: bool,
    /// False where mode or owner keep the client from creating files in it.
    pub(super) is_writable: bool,
}

impl Home {
    /// What selected it, in words.
    pub(super) fn from(&self) -> String {
        match self.selected {
            Selected::Variable(_) => "env CODEX_HOME".to_owned(),
            Selected::Default => "default".to_owned(),
        }
    }

    /// The settings, or those of a home without any.
    pub(super) fn settings(&self) -> Config {
        self.config.clone().read().unwrap_or_default()
    }

    /// The state database.
    pub(super) fn state_db(&self) -> PathBuf {
        self.sqlite_folder.join("state_5.sqlite")
    }

    /// The projection of the logs.
    pub(super) fn history_db(&self) -> PathBuf {
        self.sqlite_folder.join("thread_history_1.sqlite")
    }
}

/// Finds the effective home.
pub(super) fn home(place: &Place) -> Home {
    let value = place.variable("CODEX_HOME").filter(|value| !value.is_empty());
    let (path, selected) = match value {
        Some(value) => {
            let path = place.absolute(Path::new(value));
            let path = place.real_path(&path).read().unwrap_or(path);
            (path, Selected::Variable(value.to_string_lossy().into_owned()))
        }
        None => (
            place.home().unwrap_or(Path::new("/")).join(".codex"),
            Selected::Default,
        ),
    };
    let folder = match place.stat(&path) {
        Says::Read(Stat {
            kind: Kind::Directory,
            ..
        }) => Folder::Directory,
        Says::Absent | Says::Unreadable(Why::NotDirectory) => Folder::Missing,
        Says::Unreadable(Why::NotPermitted) => Folder::Hidden,
        Says::Read(_) | Says::Unreadable(_) => Folder::NotDirectory,
    };
    let config = place.read(&path.join("config.toml"), 1 << 20).and_then(|bytes| {
        let text = std::str::from_utf8(&bytes).map_err(|error| error.to_string());
        match text.and_then(Config::read) {
            Ok(config) => Says::Read(config),
            Err(words) => Says::Unreadable(Why::Damaged(words)),
        }
    });
    let named = config
        .as_ref()
        .read()
        .and_then(|config| config.sqlite_home.clone());
    let named = named.or_else(|| {
        place
            .variable("CODEX_SQLITE_HOME")
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    });
    let may = |right: Says<bool>| right.read().unwrap_or(folder == Folder::Missing);
    Home {
        sqlite_folder: named.map_or_else(|| path.clone(), |named| place.absolute(&named)),
        is_readable: may(place.may_read(&path)) && may(place.may_search(&path)),
        is_writable: may(place.may_write(&path)),
        path,
        selected,
        folder,
        config,
    }
}

/// Looks for other homes that hold sessions.
pub(super) fn others(place: &Place, home: &Home) -> OtherHomes {
    let mut found = place.other_homes(&Wanted {
        prefix: "codex",
        variable: "CODEX_HOME",
        also: &[],
        looks_like: &looks_like_home,
    });
    let own = place.real_path(&home.path).read();
    found.homes.retain(|other| place.real_path(other).read() != own);
    found
}

fn looks_like_home(place: &Place, folder: &Path) -> bool {
    ["sessions", "archived_sessions"]
        .iter()
        .any(|name| place.is_directory(&folder.join(name)))
        && [
            "config.toml",
            "state_5.sqlite",
            "installation_id",
            "auth.json",
            "session_index.jsonl",
            "sessions",
        ]
        .iter()
        .any(|name| !place.link_stat(&folder.join(name)).is_absent())
}

/// What another home holds of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Elsewhere {
    /// The home.
    pub(super) home: PathBuf,
    /// The session's log in it.
    pub(super) log: PathBuf,
}

/// The first other home that holds that session's log.
pub(super) fn elsewhere(homes: &[PathBuf], id: &str, files: impl Fn(&Path) -> Files) -> Option<Elsewhere> {
    homes.iter().find_map(|home| {
        let log = files(home).by_name(id)?.path.clone();
        Some(Elsewhere {
            home: home.clone(),
            log,
        })
    })
}
