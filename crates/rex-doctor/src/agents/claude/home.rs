//! Reads a config directory and judges nothing: which one it is, its state file, its settings, who holds sessions in
//! it, and what else proves that a session existed.

// Its checks.
pub(super) mod host_differs;
pub(super) mod session_elsewhere;
pub(super) mod settings_invalid;
pub(super) mod state_file_absent;
pub(super) mod state_file_torn;
pub(super) mod variable_empty;
pub(super) mod variable_relative;
pub(super) mod variable_tilde;

pub(super) mod witness;

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::key;
use crate::evidence::{Says, Why};
use crate::place::homes::Wanted;
use crate::place::{Kind, Place};

/// The largest state or settings file that is read, in bytes.
const LARGEST_BYTES: u64 = 8 << 20;

/// A config directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConfigDir {
    /// Where it is, as the client sees it.
    pub(super) path: PathBuf,
    /// What `CLAUDE_CONFIG_DIR` holds; none where it is not set.
    pub(super) variable: Option<String>,
    /// The one that the environment alone selects, where state and settings are read from.
    pub(super) base: PathBuf,
}

impl ConfigDir {
    /// The one that the client uses: what the user's settings put into the environment counts for sessions.
    pub(super) fn of_client(place: &Place) -> Self {
        let own = Self::of_environment(place);
        let settings = place
            .read_json(&own.base.join("settings.json"), LARGEST_BYTES)
            .read();
        let moved = settings.and_then(|settings| {
            let value = settings.pointer("/env/CLAUDE_CONFIG_DIR")?.as_str()?;
            Some(place.absolute(Path::new(&key::composed(value))))
        });
        match moved {
            Some(path) => Self { path, ..own },
            None => own,
        }
    }

    /// The one that the environment selects: an empty variable is a value, not an absence.
    fn of_environment(place: &Place) -> Self {
        let variable = place
            .variable("CLAUDE_CONFIG_DIR")
            .map(|value| value.to_string_lossy().into_owned());
        let path = match &variable {
            Some(value) => place.absolute(Path::new(&key::composed(value))),
            None => default_dir(place),
        };
        Self {
            base: path.clone(),
            path,
            variable,
        }
    }

    /// True where the settings select another one than the environment does.
    pub(super) fn is_moved(&self) -> bool {
        self.path != self.base
    }

    /// The one that the SDK's own functions use: they take an empty variable for none.
    pub(super) fn of_sdk(place: &Place) -> Self {
        let client = Self::of_environment(place);
        match &client.variable {
            Some(value) if value.is_empty() => Self::at(&default_dir(place)),
            Some(_) | None => client,
        }
    }

    /// The one that the session's home named by `path` would be.
    pub(super) fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            variable: None,
            base: path.to_owned(),
        }
    }

    pub(super) fn projects(&self) -> PathBuf {
        self.path.join("projects")
    }

    /// Where the client keeps its global state: not in the default directory but beside it.
    pub(super) fn state_file(&self, place: &Place) -> PathBuf {
        let older = self.base.join(".config.json");
        if place.is_file(&older) {
            return older;
        }
        let is_set = self.variable.as_ref().is_some_and(|value| !value.is_empty());
        match place.home() {
            Some(home) if !is_set => home.join(".claude.json"),
            Some(_) | None => self.base.join(".claude.json"),
        }
    }

    /// What selects it.
    pub(super) fn from(&self) -> &'static str {
        match self.variable {
            _ if self.is_moved() => "settings.json",
            Some(_) => "env CLAUDE_CONFIG_DIR",
            None => "default",
        }
    }
}

fn default_dir(place: &Place) -> PathBuf {
    let home = place
        .home()
        .map_or_else(|| place.cwd().to_owned(), Path::to_owned);
    home.join(".claude")
}

/// Folders other than `own` that hold sessions, and where was looked.
pub(super) fn others(place: &Place, config: &ConfigDir) -> (Vec<PathBuf>, Vec<String>) {
    let own = config.path.as_path();
    let mut also = vec![place.cwd().to_owned(), place.cwd().join("~"), config.base.clone()];
    also.extend(place.home().map(|home| home.join(".claude")));
    also.extend(
        place
            .variable("XDG_CONFIG_HOME")
            .map(|value| place.absolute(Path::new(value)).join("claude")),
    );
    if let Some(value) = place.variable("CLAUDE_CONFIG_DIR") {
        // A literal tilde or a relative value may have meant a folder of the home.
        let text = value.to_string_lossy();
        let rest = text.strip_prefix("~/").unwrap_or(&text).to_owned();
        also.extend(
            place
                .home()
                .filter(|_| !rest.is_empty())
                .map(|home| home.join(rest)),
        );
        // `<cwd>/~/…`: what a literal tilde created.
        also.extend(
            place
                .list_up_to(&place.cwd().join("~"), 64)
                .read()
                .into_iter()
                .flat_map(|listing| listing.entries.into_iter().map(|entry| entry.path)),
        );
    }
    let wanted = Wanted {
        prefix: "claude",
        variable: "CLAUDE_CONFIG_DIR",
        also: &also,
        looks_like: &holds_sessions,
    };
    let found = place.other_homes(&wanted);
    let own_identity = place.stat(own).read().map(|stat| stat.identity);
    let homes = found
        .homes
        .into_iter()
        .filter(|home| home != own && place.stat(home).read().map(|stat| stat.identity) != own_identity);
    (homes.collect(), found.looked_at)
}

/// True where some `projects/<key>/<id>.jsonl` is there.
fn holds_sessions(place: &Place, folder: &Path) -> bool {
    let Says::Read(keys) = place.list_up_to(&folder.join("projects"), 512) else {
        return false;
    };
    keys.entries.iter().any(|key| match key.kind {
        Kind::Directory | Kind::Symlink => place.list_up_to(&key.path, 512).read().is_some_and(|listing| {
            listing
                .entries
                .iter()
                .any(|entry| session_of(&entry.name.to_string_lossy()).is_some())
        }),
        Kind::File | Kind::Special(_) => false,
    })
}

/// The id that a log's file name holds.
pub(super) fn session_of(name: &str) -> Option<&str> {
    name.strip_suffix(".jsonl").filter(|stem| key::is_uuid(stem))
}

/// What the state file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StateFile {
    /// It parses.
    Fine,
    /// It is not there.
    Absent,
    /// It holds nothing, or only blanks.
    Blank,
    /// It does not parse; this is its text.
    Torn(String),
    /// It could not be read.
    Unreadable(Why),
}

/// Reads the state file.
pub(super) fn state_file(place: &Place, path: &Path) -> StateFile {
    match place.read(path, LARGEST_BYTES) {
        Says::Absent => StateFile::Absent,
        Says::Unreadable(why) => StateFile::Unreadable(why),
        Says::Read(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            if text.trim().is_empty() {
                StateFile::Blank
            } else if serde_json::from_str::<Value>(text).is_ok() {
                StateFile::Fine
            } else {
                StateFile::Torn(text.to_owned())
            }
        }
    }
}

/// The newest copy of the state file that the client kept.
pub(super) fn newest_backup(place: &Place, config: &ConfigDir, state_file: &Path) -> Option<PathBuf> {
    let name = state_file.file_name()?.to_string_lossy().into_owned();
    let start = format!("{name}.backup.");
    let in_folder = |folder: PathBuf| {
        let listing = place.list(&folder).read()?;
        let mut stamps: Vec<(u64, PathBuf)> = listing
            .entries
            .into_iter()
            .filter_map(|entry| {
                let stamp = entry.name.to_string_lossy().strip_prefix(&start)?.parse().ok()?;
                Some((stamp, entry.path))
            })
            .collect();
        stamps.sort();
        stamps.pop().map(|(_, path)| path)
    };
    in_folder(config.base.join("backups"))
        .or_else(|| in_folder(state_file.parent()?.to_owned()))
        .or_else(|| {
            let plain = state_file.with_file_name(format!("{name}.backup"));
            place.is_file(&plain).then_some(plain)
        })
}

/// The settings that matter to sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// Files that do not load, and why.
    pub(super) faults: Vec<(PathBuf, String)>,
    /// `cleanupPeriodDays` where a file that loads sets it.
    pub(super) cleanup_days: Option<u64>,
    /// `cleanupPeriodDays` is 0, which newer clients refuse and older ones take for never saving.
    pub(super) keeps_nothing: bool,
    /// The file whose `env` keeps the client from saving.
    pub(super) saves_nothing: Option<PathBuf>,
}

/// Reads the settings of the user, of the project and of the machine.
pub(super) fn settings(place: &Place, config: &ConfigDir) -> Settings {
    let mut settings = Settings::default();
    let project = place.cwd().join(".claude");
    for path in [
        config.base.join("settings.json"),
        project.join("settings.json"),
        project.join("settings.local.json"),
        PathBuf::from("/etc/claude-code/managed-settings.json"),
    ] {
        let value = match place.read_json(&path, LARGEST_BYTES) {
            Says::Absent => continue,
            Says::Unreadable(why) => {
                settings.faults.push((path, why.to_string()));
                continue;
            }
            Says::Read(value) => value,
        };
        let skip = value.pointer("/env/CLAUDE_CODE_SKIP_PROMPT_HISTORY");
        if skip.and_then(Value::as_str).is_some_and(is_on) {
            settings.saves_nothing = Some(path.clone());
        }
        settings.keeps_nothing |= value.get("cleanupPeriodDays").and_then(Value::as_f64) == Some(0.0);
        match value.get("cleanupPeriodDays") {
            Some(days) => match days.as_f64().filter(|days| *days >= 1.0) {
                Some(days) => settings.cleanup_days = Some(days as u64),
                None => settings
                    .faults
                    .push((path, format!("cleanupPeriodDays is {days}, at least 1 is asked"))),
            },
            None if !value.is_object() => settings.faults.push((path, "it is no object".to_owned())),
            None => {}
        }
    }
    settings
}

/// True for a value that the client takes for yes.
pub(super) fn is_on(value: &str) -> bool {
    matches!(value.trim().to_lowercase().as_str(), "1" | "true" | "yes" | "on")
}

/// A record of a client that runs, or ran, with a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Holder {
    pub(super) file: PathBuf,
    pub(super) pid: u32,
    pub(super) session: String,
    pub(super) kind: String,
    /// The process is there and is the one that wrote the record.
    pub(super) is_alive: bool,
    /// The session of a terminal that was handed to the background.
    pub(super) is_parked: bool,
}

/// Reads the records of running clients.
pub(super) fn holders(place: &Place, config: &ConfigDir) -> Vec<Holder> {
    let Says::Read(listing) = place.list_up_to(&config.path.join("sessions"), 4096) else {
        return vec![];
    };
    let records = listing.entries.into_iter().filter_map(|entry| {
        let name = entry.name.to_string_lossy().into_owned();
        let named: u32 = name.strip_suffix(".json")?.parse().ok()?;
        let value = place.read_json(&entry.path, 1 << 20).read()?;
        let text = |field: &str| value.get(field).and_then(Value::as_str).map(str::to_owned);
        let pid = value
            .get("pid")
            .and_then(Value::as_u64)
            .and_then(|pid| u32::try_from(pid).ok());
        let pid = pid.unwrap_or(named);
        Some(Holder {
            is_alive: is_alive(place, pid, value.get("procStart")),
            file: entry.path,
            pid,
            session: text("sessionId")?,
            kind: text("kind").unwrap_or_default(),
            is_parked: value.get("parkedJobId").is_some_and(|id| !id.is_null()),
        })
    });
    records.collect()
}

fn is_alive(place: &Place, pid: u32, start: Option<&Value>) -> bool {
    let Says::Read(process) = place.process(pid) else {
        return false;
    };
    let recorded = match start {
        Some(Value::String(text)) => text.parse::<u64>().ok(),
        Some(number) => number.as_u64(),
        None => None,
    };
    // Only a plain count of clock ticks can be compared; any other form does not tell two users of one id apart.
    recorded.is_none_or(|ticks| ticks == process.start_ticks)
}
