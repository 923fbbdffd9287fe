//! What both witnesses said about one session: the subject of all checks.

use std::path::PathBuf;

use jiff::Timestamp;

use super::anatomy::Anatomy;
use super::client::loaded::Counts;
use super::client::lookup::Via;
use super::client::{Meaning, Rules};
use super::home::{ConfigDir, Holder, Settings, StateFile, witness::Witness};
use super::log::Facts;
use super::store::{Copy, NearMiss};
use super::torn::Torn;
use crate::check::Remedy;
use crate::evidence::{Says, Why};
use crate::forecast::{Forecast, Outcome};
use crate::version::ClientVersion;

/// One session, as the argument means it.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) argument: String,
    pub(super) meaning: Meaning,
    /// Its id; none where the argument means none, or more than one.
    pub(super) id: Option<String>,
    /// Ids that the argument begins, or that have it as their title.
    pub(super) candidates: Vec<String>,
    /// The nearest ids to one that nobody has.
    pub(super) nearest: Vec<String>,
    pub(super) version: ClientVersion,
    pub(super) rules: Rules,
    pub(super) now: Timestamp,
    pub(super) config: ConfigDir,
    /// The folder the client is started in, symlinks resolved.
    pub(super) folder: String,
    /// Where the client computes the log to be.
    pub(super) computed: Option<PathBuf>,
    pub(super) state_path: PathBuf,
    pub(super) state: StateFile,
    pub(super) backup: Option<PathBuf>,
    pub(super) settings: Settings,
    pub(super) holders: Vec<Holder>,
    pub(super) sees_processes: bool,
    pub(super) saves_nothing: Option<&'static str>,
    pub(super) free_bytes: Option<u64>,
    /// Other config directories that hold sessions.
    pub(super) others: Vec<PathBuf>,
    pub(super) looked_at: Vec<String>,
    /// Logs of the session's name in the config directory.
    pub(super) copies: Vec<Copy>,
    /// Logs of the session's name in other config directories.
    pub(super) elsewhere: Vec<Copy>,
    pub(super) near_misses: Vec<NearMiss>,
    /// Where and how the client finds the log.
    pub(super) found: Option<(Via, PathBuf)>,
    /// The client's load fails, with these words.
    pub(super) failure: Option<String>,
    /// Why the key's own folder cannot be listed.
    pub(super) key_unreadable: Option<Why>,
    /// The log that is found, or else the one that the person most likely means.
    pub(super) log: Option<(PathBuf, Says<LogView>)>,
    /// Messages that other copies prove: their paths with their counts.
    pub(super) other_counts: Vec<(PathBuf, u64)>,
    /// Recorded folders of the other logs with the same key.
    pub(super) key_folders: Vec<String>,
    pub(super) index_file: Option<PathBuf>,
    pub(super) witnesses: Vec<Witness>,
    pub(super) last_cleanup: Option<Timestamp>,
    /// Whether the client may write the log.
    pub(super) may_write: Says<bool>,
    /// What an application around the client believes the log's path to be.
    pub(super) host_log: Option<PathBuf>,
    pub(super) forecasts: Vec<Forecast>,
    /// Between two seen versions with different rules.
    pub(super) is_between_versions: bool,
}

/// What a log says, as far as checks ask.
#[derive(Clone, Debug, Default)]
pub(super) struct LogView {
    pub(super) bytes: u64,
    pub(super) modified: Option<Timestamp>,
    pub(super) facts: Facts,
    pub(super) faults: Vec<Torn>,
    pub(super) fault_count: u64,
    pub(super) null_line: Option<u64>,
    pub(super) longest_line_bytes: u64,
    pub(super) talk_rows: u64,
    pub(super) side_talk_rows: u64,
    pub(super) other_rows: u64,
    pub(super) is_loadable: bool,
    pub(super) starts_with: Vec<u8>,
    pub(super) cut: Option<Why>,
    pub(super) anatomy: Anatomy,
    pub(super) counts: Counts,
}

impl Session {
    /// The log's view, where it could be read.
    pub(super) fn view(&self) -> Option<&LogView> {
        match &self.log {
            Some((_, Says::Read(view))) => Some(view),
            Some((_, Says::Absent | Says::Unreadable(_))) | None => None,
        }
    }

    pub(super) fn log_path(&self) -> Option<&PathBuf> {
        self.log.as_ref().map(|(path, _)| path)
    }

    pub(super) fn id_or_argument(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.argument)
    }

    pub(super) fn forecast(&self, surface: &str) -> Option<&Forecast> {
        self.forecasts.iter().find(|forecast| forecast.surface == surface)
    }

    pub(super) fn resumes(&self) -> bool {
        self.found.is_some()
    }

    /// True where any log of that name is there.
    pub(super) fn has_log(&self) -> bool {
        !self.copies.is_empty()
            || !self.elsewhere.is_empty()
            || !self.near_misses.is_empty()
            || self.log.is_some()
    }

    /// True where the client cannot even be asked: nothing of the session is at fault.
    pub(super) fn is_asked_by_id(&self) -> bool {
        matches!(self.meaning, Meaning::Id(_)) || self.id.is_some()
    }

    pub(super) fn has_outcome(&self, surface: &str, outcome: Outcome) -> bool {
        self.forecast(surface)
            .is_some_and(|forecast| forecast.outcome == outcome)
    }

    /// What makes the config directory the same from every folder.
    pub(super) fn absolute_config_remedy(&self) -> Remedy {
        let text = "name the config directory by its absolute path";
        if !self.resumes() {
            return Remedy::advice(text);
        }
        let variable = format!("CLAUDE_CONFIG_DIR={}", self.config.path.display());
        Remedy::command(text, self.resume_command(&["env", &variable]), false)
    }

    /// The command that resumes the session, with what goes before `claude`.
    pub(super) fn resume_command(&self, before: &[&str]) -> Vec<String> {
        let mut command: Vec<String> = before.iter().map(|&part| part.to_owned()).collect();
        command.extend(["claude", "--resume", self.id_or_argument()].map(str::to_owned));
        command
    }
}

#[cfg(test)]
impl Session {
    /// A session with nothing wrong, for tests to change.
    #[expect(clippy::too_many_lines, reason = "one field of the subject a line")]
    pub(super) fn healthy() -> Self {
        use super::client::{NEWEST, rules};
        let id = "05d99db5-94c4-4413-a0e2-5bcd11901e0a";
        let config = PathBuf::from("/home/u/.claude");
        let path = config.join("projects/-w-app").join(format!("{id}.jsonl"));
        Self {
            argument: id.to_owned(),
            meaning: Meaning::Id(id.to_owned()),
            id: Some(id.to_owned()),
            candidates: vec![],
            nearest: vec![],
            version: NEWEST,
            rules: rules(&NEWEST).0,
            now: "2026-11-30T12:00:00Z".parse().unwrap(),
            config: ConfigDir::at(&config),
            folder: "/w/app".to_owned(),
            computed: Some(path.clone()),
            state_path: "/home/u/.claude.json".into(),
            state: StateFile::Fine,
            backup: None,
            settings: Settings::default(),
            holders: vec![],
            sees_processes: true,
            saves_nothing: None,
            free_bytes: Some(1 << 30),
            others: vec![],
            looked_at: vec![],
            copies: vec![Copy::file(&path)],
            elsewhere: vec![],
            near_misses: vec![],
            found: Some((Via::OwnKey, path.clone())),
            failure: None,
            key_unreadable: None,
            log: Some((
                path,
                Says::Read(LogView {
                    bytes: 1000,
                    talk_rows: 4,
                    is_loadable: true,
                    modified: "2026-11-30T11:00:00Z".parse().ok(),
                    counts: Counts {
                        recorded: 4,
                        reachable: 4,
                        loaded: 4,
                        touched: 4,
                        has_summary: false,
                        misses_summary: false,
                    },
                    facts: Facts {
                        cwd: Some("/w/app".to_owned()),
                        versions: vec!["2.1.332".to_owned()],
                        last_version: Some("2.1.332".to_owned()),
                        ..Facts::default()
                    },
                    ..LogView::default()
                }),
            )),
            other_counts: vec![],
            key_folders: vec!["/w/app".to_owned()],
            index_file: None,
            witnesses: vec![],
            last_cleanup: None,
            may_write: Says::Read(true),
            host_log: None,
            forecasts: vec![Forecast::resumes(
                "resume",
                Some(crate::forecast::History::Full),
                Some(crate::forecast::Saves::Same),
            )],
            is_between_versions: false,
        }
    }

    /// The same with the log's view changed.
    pub(super) fn with_view(mut self, change: impl FnOnce(&mut LogView)) -> Self {
        if let Some((_, Says::Read(view))) = &mut self.log {
            change(view);
        }
        self
    }

    /// The same with the log unreadable.
    pub(super) fn with_unreadable_log(mut self) -> Self {
        if let Some((_, log)) = &mut self.log {
            *log = Says::Unreadable(Why::NotPermitted);
        }
        self
    }

    /// The same with no log anywhere.
    pub(super) fn without_log(mut self) -> Self {
        self.log = None;
        self.found = None;
        self.copies.clear();
        self
    }
}
