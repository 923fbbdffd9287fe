//! One session in the list: what its log says, read whole or by its two ends.

use std::path::Path;

use jiff::Timestamp;
use rex_store::jsonl::Ends;

use super::key_name;
use crate::agents::claude::client::chain::walk;
use crate::agents::claude::client::loaded::count;
use crate::agents::claude::client::lookup::{Reader, recorded_folder};
use crate::agents::claude::client::{self, Rules, parser, text};
use crate::agents::claude::diagnosis::view;
use crate::agents::claude::graph::Graph;
use crate::agents::claude::home::{self, ConfigDir, Holder, Settings, StateFile};
use crate::agents::claude::log::{Facts, Transcript};
use crate::agents::claude::row::Row;
use crate::agents::claude::session::{LogView, Session};
use crate::agents::claude::{AGENT, HOME_CHECKS, LOG_CHECKS, key};
use crate::check::{Finding, judge};
use crate::diagnosis::{LogState, SessionLine, StoreState};
use crate::evidence::Says;
use crate::forecast::{Forecast, Saves};
use crate::place::Place;
use crate::version::ClientVersion;

/// What is the same for all sessions of a config directory.
pub(super) struct Common {
    config: ConfigDir,
    version: ClientVersion,
    rules: Rules,
    is_between: bool,
    state: StateFile,
    state_path: std::path::PathBuf,
    backup: Option<std::path::PathBuf>,
    settings: Settings,
    holders: Vec<Holder>,
    sees_processes: bool,
    free_bytes: Option<u64>,
    now: Timestamp,
    last_cleanup: Option<Timestamp>,
}

impl Common {
    pub(super) fn of(place: &Place, config: &ConfigDir, version: &ClientVersion) -> Self {
        let (rules, above) = client::rules(version);
        let state_path = config.state_file(place);
        Self {
            version: version.clone(),
            rules,
            is_between: rules.generation != above.generation,
            state: home::state_file(place, &state_path),
            backup: home::newest_backup(place, config, &state_path),
            state_path,
            settings: home::settings(place, config),
            holders: home::holders(place, config),
            sees_processes: place.sees_processes(),
            free_bytes: place.free_bytes(&config.path).read(),
            now: place.now(),
            last_cleanup: home::witness::last_cleanup(place, config),
            config: config.clone(),
        }
    }

    /// Faults of the config directory itself.
    pub(super) fn findings(&self) -> Vec<Finding> {
        judge(HOME_CHECKS, &self.session("", None))
    }

    fn session(&self, id: &str, log: Option<(std::path::PathBuf, Says<LogView>)>) -> Session {
        Session {
            argument: id.to_owned(),
            meaning: client::Meaning::Id(id.to_owned()),
            id: Some(id.to_owned()),
            candidates: vec![],
            nearest: vec![],
            version: self.version.clone(),
            rules: self.rules,
            now: self.now,
            config: self.config.clone(),
            folder: String::new(),
            computed: None,
            state_path: self.state_path.clone(),
            state: self.state.clone(),
            backup: self.backup.clone(),
            settings: self.settings.clone(),
            holders: self.holders.clone(),
            sees_processes: self.sees_processes,
            saves_nothing: None,
            free_bytes: self.free_bytes,
            others: vec![],
            looked_at: vec![],
            copies: vec![],
            elsewhere: vec![],
            near_misses: vec![],
            found: None,
            failure: None,
            key_unreadable: None,
            log,
            other_counts: vec![],
            key_folders: vec![],
            index_file: None,
            witnesses: vec![],
            last_cleanup: self.last_cleanup,
            may_write: Says::Absent,
            host_log: None,
            forecasts: vec![],
            is_between_versions: self.is_between,
        }
    }
}

/// What there is to say about one log.
pub(super) fn of(place: &Place, common: &Common, id: &str, path: &Path, deep: bool) -> SessionLine {
    let reader = Reader::new(place, &common.config);
    let ends = reader.ends(path);
    let is_whole = deep || ends.as_ref().is_none_or(Ends::is_whole);
    let log = match &ends {
        // The two ends of a small log are all of it.
        Some(ends) if !deep || ends.is_whole() => part(place, path, ends),
        Some(_) | None => Transcript::read(place, path),
    };
    let (says, facts, forecast) = match &log {
        Says::Read(log) if is_whole => {
            let view = view(log, common.rules);
            let forecast = forecast(place, common, path, &view, log);
            (Says::Read(view), log.facts.clone(), forecast)
        }
        Says::Read(log) => (
            Says::Absent,
            log.facts.clone(),
            part_forecast(place, common, path, log),
        ),
        Says::Absent => (
            Says::Absent,
            Facts::default(),
            Forecast::refuses("resume", text::not_found(id)),
        ),
        Says::Unreadable(why) => {
            let refuses = Forecast::refuses("resume", text::not_found(id));
            (Says::Unreadable(why.clone()), Facts::default(), refuses)
        }
    };
    let folder = ends.as_ref().and_then(recorded_folder);
    let is_own_key = folder
        .as_deref()
        .is_none_or(|folder| key::of(&key::composed(folder)) == key_name(path));
    let mut session = common.session(id, Some((path.to_owned(), says)));
    session.may_write = place.may_write(path);
    session.forecasts = vec![forecast.clone()];
    if session.view().is_some_and(|view| view.is_loadable) {
        session.found = Some((client::lookup::Via::OwnKey, path.to_owned()));
    }
    let findings = judge(LOG_CHECKS, &session);
    let forecast = named(
        if is_own_key {
            forecast
        } else {
            by_scan(forecast, common, id)
        },
        &findings,
    );
    SessionLine {
        agent: AGENT.name,
        session: id.to_owned(),
        title: title(&facts),
        folder,
        last_activity: facts.last_ms.and_then(|ms| Timestamp::from_millisecond(ms).ok()),
        home: common.config.path.display().to_string(),
        store: store_state(&forecast),
        log: log_state(&session, is_whole, is_own_key),
        forecast,
        findings,
        read_whole: is_whole,
    }
}

fn part(place: &Place, path: &Path, ends: &Ends) -> Says<Transcript> {
    place.stat(path).map(|stat| {
        let mut log = Transcript::empty(path, stat.bytes, stat.modified);
        for line in ends.head().chain(ends.tail()) {
            log.take(line);
        }
        log
    })
}

fn title(facts: &Facts) -> Option<String> {
    let filled = |title: &&String| !title.trim().is_empty();
    facts
        .custom_title
        .as_ref()
        .filter(filled)
        .or(facts.ai_title.as_ref().filter(filled))
        .cloned()
}

fn forecast(place: &Place, common: &Common, path: &Path, view: &LogView, log: &Transcript) -> Forecast {
    let id = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    if let Some(refusal) = refusal(common, &id) {
        return refusal;
    }
    if !view.is_loadable {
        return Forecast::refuses("resume", text::not_found(&id));
    }
    if common.is_between || view.cut.is_some() {
        return Forecast::unknown("resume");
    }
    let graph = Graph::of(log, common.rules.generation);
    let walk = walk(&graph, common.rules.generation);
    let counts = count(log, &graph, walk.as_ref(), common.rules.generation);
    let history = counts.history(counts.recorded);
    Forecast::resumes("resume", Some(history), Some(saves(place, path)))
}

/// What can be said of a log of which only the ends were read.
fn part_forecast(place: &Place, common: &Common, path: &Path, log: &Transcript) -> Forecast {
    let id = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    if let Some(refusal) = refusal(common, &id) {
        return refusal;
    }
    if log.rows.iter().any(Row::is_talk) {
        return Forecast::resumes("resume", None, Some(saves(place, path)));
    }
    Forecast::unknown("resume")
}

/// What keeps every session, or this one, from being resumed.
fn refusal(common: &Common, id: &str) -> Option<Forecast> {
    let generation = common.rules.generation;
    if let StateFile::Torn(torn) = &common.state {
        let words = parser::complaint(torn)?;
        let path = common.state_path.to_string_lossy();
        return Some(Forecast::refuses(
            "resume",
            text::state_file_torn(&path, &words, generation),
        ));
    }
    let holder = client::background_holder(&common.holders, id, generation)?;
    Some(Forecast::refuses(
        "resume",
        text::held(id, &holder.kind, generation),
    ))
}

fn saves(place: &Place, path: &Path) -> Saves {
    if place.may_write(path) == Says::Read(false) {
        Saves::Nothing
    } else {
        Saves::Same
    }
}

/// A log under another key than its folder's is found only where the client looks through all keys.
fn by_scan(forecast: Forecast, common: &Common, id: &str) -> Forecast {
    if common.rules.scans {
        return forecast;
    }
    Forecast::refuses("resume", text::not_found(id))
}

fn named(mut forecast: Forecast, findings: &[Finding]) -> Forecast {
    if !forecast.is_whole() {
        for finding in findings {
            forecast = forecast.because(&finding.id);
        }
    }
    forecast
}

fn store_state(forecast: &Forecast) -> StoreState {
    use crate::forecast::Outcome;
    match forecast.outcome {
        Outcome::Resumes | Outcome::StartsNew | Outcome::Hangs => StoreState::Has,
        Outcome::Refuses => StoreState::None,
        Outcome::Unknown => StoreState::Unknown,
    }
}

fn log_state(session: &Session, is_whole: bool, is_own_key: bool) -> LogState {
    match &session.log {
        Some((_, Says::Unreadable(_))) => LogState::Unreadable,
        _ if !is_own_key => LogState::Elsewhere,
        Some((_, Says::Read(view))) if view.fault_count > 0 || !view.is_loadable => LogState::Damaged,
        Some((_, Says::Absent)) | None if is_whole => LogState::Missing,
        Some(_) | None => LogState::Present,
    }
}
