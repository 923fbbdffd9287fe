//! Puts together what is known about one session: both witnesses, the forecasts, the findings.

use std::path::{Path, PathBuf};

use super::anatomy::Anatomy;
use super::client::chain::walk;
use super::client::loaded::count;
use super::client::lookup::{Found, Reader, Via};
use super::client::{self, Meaning, Prediction, Rules, listing};
use super::graph::Graph;
use super::home::{self, ConfigDir, StateFile};
use super::key;
use super::log::Transcript;
use super::row::Mark;
use super::session::{LogView, Session};
use super::store::{self, Copy};
use super::{AGENT, CHECKS};
use crate::agents::Question;
use crate::check::{Severity, judge};
use crate::diagnosis::{
    Candidate, Client, Diagnosis, Home, Log, LogState, SESSION_SCHEMA, Store, StoreState, VersionFrom,
};
use crate::evidence::Says;
use crate::forecast::{Forecast, Outcome};
use crate::nearest::nearest;
use crate::place::Place;
use crate::version::ClientVersion;

/// The whole diagnosis of one argument.
pub(super) fn diagnose(place: &Place, question: &Question) -> Diagnosis {
    let config = ConfigDir::of_client(place);
    let reader = Reader::new(place, &config);
    let (others, looked_at) = home::others(place, &config.path);
    let meaning = Meaning::of(&question.argument);
    let named = name(&reader, &meaning, &others);
    let files = Files::of(&reader, named.id.as_deref(), &others, &meaning);
    let (version, from) = version(&reader, question, &files);
    let mut session = gather(&reader, question, meaning, named, files, version.clone());
    session.others.clone_from(&others);
    session.looked_at = looked_at;
    let predictions = predict(&reader, &mut session, question);
    look_at_log(&reader, &mut session, predictions.as_ref());
    let mut findings = judge(CHECKS, &session);
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    for forecast in &mut session.forecasts {
        name_reasons(forecast, &findings);
    }
    Diagnosis {
        schema: SESSION_SCHEMA,
        agent: AGENT.name,
        argument: question.argument.clone(),
        session: session
            .id
            .clone()
            .filter(|_| session.has_log() || !session.witnesses.is_empty()),
        client: Client {
            version: version.to_string(),
            from,
        },
        home: Home {
            path: config.path.display().to_string(),
            from: config.from().to_owned(),
            others: others.iter().map(|path| path.display().to_string()).collect(),
        },
        store: store_answer(&session),
        log: log_answer(&session),
        candidates: candidates(&session),
        forecasts: session.forecasts,
        findings,
        verdict: String::new(),
    }
    .concluded()
}

/// The session that an argument means.
#[derive(Default)]
struct Named {
    id: Option<String>,
    candidates: Vec<String>,
    nearest: Vec<String>,
}

fn name(reader: &Reader<'_>, meaning: &Meaning, others: &[PathBuf]) -> Named {
    let id = match meaning {
        Meaning::Id(id) => Some(id.clone()),
        Meaning::Path(path) => {
            let stem = Path::new(path)
                .file_stem()
                .map(|stem| stem.to_string_lossy().into_owned());
            stem.filter(|stem| key::is_uuid(stem))
        }
        Meaning::Address | Meaning::Title(_) => None,
    };
    let mut known: Vec<String> = store::sessions(reader.place, reader.config)
        .into_iter()
        .map(|(id, _)| id)
        .collect();
    for other in others {
        known.extend(
            store::sessions(reader.place, &ConfigDir::at(other))
                .into_iter()
                .map(|(id, _)| id),
        );
    }
    known.sort();
    known.dedup();
    if let Some(id) = id {
        let stored = known
            .iter()
            .find(|known| **known == id || known.eq_ignore_ascii_case(&id));
        let near = nearest(&id, known.iter().map(String::as_str))
            .into_iter()
            .map(str::to_owned)
            .collect();
        return Named {
            nearest: if stored.is_some() { vec![] } else { near },
            id: Some(stored.cloned().unwrap_or(id)),
            candidates: vec![],
        };
    }
    let Meaning::Title(title) = meaning else {
        return Named::default();
    };
    let titled: Vec<String> = listing::titled(reader, title, client::rules(&client::NEWEST).0)
        .into_iter()
        .map(|entry| entry.session)
        .collect();
    let begun = || {
        known
            .iter()
            .filter(|id| !title.is_empty() && id.starts_with(&title.to_lowercase()))
            .cloned()
    };
    let fits = if titled.is_empty() {
        begun().collect()
    } else {
        titled
    };
    match fits.as_slice() {
        [only] => Named {
            id: Some(only.clone()),
            ..Named::default()
        },
        [] => Named {
            nearest: nearest(title, known.iter().map(String::as_str))
                .into_iter()
                .map(str::to_owned)
                .collect(),
            ..Named::default()
        },
        _ => Named {
            candidates: fits,
            ..Named::default()
        },
    }
}

/// The files that may be the session's log.
struct Files {
    copies: Vec<Copy>,
    elsewhere: Vec<Copy>,
    near_misses: Vec<store::NearMiss>,
    given: Option<PathBuf>,
}

impl Files {
    fn of(reader: &Reader<'_>, id: Option<&str>, others: &[PathBuf], meaning: &Meaning) -> Self {
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

fn version(reader: &Reader<'_>, question: &Question, files: &Files) -> (ClientVersion, VersionFrom) {
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
pub(super) fn newest_version(reader: &Reader<'_>) -> Option<ClientVersion> {
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

fn gather(
    reader: &Reader<'_>,
    question: &Question,
    meaning: Meaning,
    named: Named,
    files: Files,
    version: ClientVersion,
) -> Session {
    let place = reader.place;
    let config = reader.config;
    let (rules, above) = client::rules(&version);
    let folder = reader.folder();
    let state_path = config.state_file(place);
    let own_folder = reader.own_folder(&folder, rules);
    let index = own_folder.join("sessions-index.json");
    let id = named.id;
    Session {
        argument: question.argument.clone(),
        computed: id.as_ref().map(|id| reader.computed(&folder, id, rules)),
        witnesses: id
            .as_ref()
            .map(|id| home::witnesses(place, config, id))
            .unwrap_or_default(),
        meaning,
        id,
        candidates: named.candidates,
        nearest: named.nearest,
        is_between_versions: rules != above,
        version,
        rules,
        now: place.now(),
        folder,
        state: home::state_file(place, &state_path),
        backup: home::newest_backup(place, config, &state_path),
        state_path,
        settings: home::settings(place, config),
        holders: home::holders(place, config),
        sees_processes: place.sees_processes(),
        saves_nothing: saves_nothing(place),
        free_bytes: place.free_bytes(&config.path).read(),
        others: vec![],
        looked_at: vec![],
        copies: files.copies,
        elsewhere: files.elsewhere,
        near_misses: files.near_misses,
        found: None,
        failure: None,
        key_unreadable: store::unlisted(place, &own_folder),
        log: files.given.map(|path| (path, Says::Absent)),
        other_counts: vec![],
        key_folders: key_folders(reader, &own_folder),
        index_file: place.is_file(&index).then_some(index),
        last_cleanup: home::last_cleanup(place, config),
        may_write: Says::Absent,
        host_log: question.host_log.clone(),
        forecasts: vec![],
        config: config.clone(),
    }
}

/// The switch of the environment that keeps the client from saving.
fn saves_nothing(place: &Place) -> Option<&'static str> {
    const NAME: &str = "CLAUDE_CODE_SKIP_PROMPT_HISTORY";
    let value = place.variable(NAME)?.to_string_lossy().into_owned();
    home::is_on(&value).then_some(NAME)
}

/// The folders in which the logs of a key were recorded, at most so many logs of it.
fn key_folders(reader: &Reader<'_>, key: &Path) -> Vec<String> {
    const MOST_LOGS: usize = 32;
    let listing = reader.place.list_up_to(key, 4096).read();
    let entries = listing.map(|listing| listing.entries).unwrap_or_default();
    let mut folders: Vec<String> = vec![];
    let logs = entries
        .iter()
        .filter(|entry| home::session_of(&entry.name.to_string_lossy()).is_some());
    for entry in logs.take(MOST_LOGS) {
        let cwd = reader
            .ends(&entry.path)
            .and_then(|ends| super::client::lookup::recorded_folder(&ends));
        folders.extend(cwd.filter(|cwd| !folders.contains(cwd)));
    }
    folders
}

/// Makes the forecasts; returns the log that the first of them rests on.
fn predict(reader: &Reader<'_>, session: &mut Session, question: &Question) -> Option<(Via, PathBuf)> {
    let generation = session.rules.generation;
    let files: Vec<PathBuf> = session
        .copies
        .iter()
        .chain(&session.elsewhere)
        .filter(|copy| copy.is_file())
        .map(|copy| copy.path.clone())
        .collect();
    for path in files {
        if let Says::Read(log) = &*reader.log(&path) {
            let graph = Graph::of(log, generation);
            session
                .other_counts
                .push((path, count(log, &graph, None, generation).recorded));
        }
    }
    let copies: Vec<PathBuf> = session
        .other_counts
        .iter()
        .map(|(path, _)| path.clone())
        .collect();
    let recorded = session
        .other_counts
        .iter()
        .map(|(_, count)| *count)
        .max()
        .unwrap_or(0);
    let asked = client::Question {
        reader,
        meaning: &session.meaning,
        session: session.id.as_deref(),
        state: &session.state,
        state_path: &session.state_path,
        has_backup: session.backup.is_some(),
        holders: &session.holders,
        saves_nothing: session.saves_nothing.is_some() || session.settings.saves_nothing.is_some(),
        copies: &copies,
        has_bad_settings: !session.settings.faults.is_empty(),
        keeps_nothing: session.settings.keeps_nothing,
        is_full: session.free_bytes == Some(0),
        recorded,
    };
    let (_, above) = client::rules(&session.version);
    let mut first = None;
    let mut forecasts = vec![];
    for surface in &question.surfaces {
        let low = client::predict(&asked, surface, session.rules);
        let high = client::predict(&asked, surface, above);
        let log = low.log.map(|(via, loaded)| (via, loaded.path));
        first = first.or(log.filter(|_| *surface != "sdk"));
        forecasts.push(low.forecast.agreed(&high.forecast));
    }
    let found = found(session, &asked);
    session.forecasts = forecasts;
    session.found = found;
    session.failure = failure(reader, session);
    session.found.clone().or(first)
}

/// Where the client finds the session by its id or by what was given, whatever else keeps it from going on.
fn found(session: &Session, asked: &client::Question<'_>) -> Option<(Via, PathBuf)> {
    let quiet = client::Question {
        state: &StateFile::Fine,
        holders: &[],
        ..*asked
    };
    let Prediction { log, .. } = client::predict(&quiet, "resume", session.rules);
    log.map(|(via, loaded)| (via, loaded.path))
}

/// The words with which the client's load of the session's log fails.
fn failure(reader: &Reader<'_>, session: &Session) -> Option<String> {
    let id = session.id.as_ref()?;
    match reader.by_id(id, session.rules) {
        Found::Fails(words) => Some(words),
        Found::Nothing | Found::Waits | Found::Log(..) => None,
    }
}

/// Looks at the log that is found, or else at the one that the person most likely means.
fn look_at_log(reader: &Reader<'_>, session: &mut Session, found: Option<&(Via, PathBuf)>) {
    let place = reader.place;
    let computed = session
        .computed
        .clone()
        .filter(|path| !place.link_stat(path).is_absent());
    let given = session.log.take().map(|(path, _)| path);
    let copies = || session.copies.iter().chain(&session.elsewhere);
    let file = copies().find(|copy| copy.is_file()).map(|copy| copy.path.clone());
    let any = copies().next().map(|copy| copy.path.clone());
    let near = session.near_misses.first().map(|miss| miss.path.clone());
    let path = found
        .map(|(_, path)| path.clone())
        .or(given)
        .or(computed)
        .or(file)
        .or(any)
        .or(near);
    let Some(path) = path else {
        return;
    };
    session.may_write = place.may_write(&path);
    let says = match &*reader.log(&path) {
        Says::Read(log) => Says::Read(view(log, session.rules)),
        Says::Absent => Says::Absent,
        Says::Unreadable(why) => Says::Unreadable(why.clone()),
    };
    if let Says::Read(view) = &says {
        session
            .other_counts
            .retain(|(other, count)| *other != path && *count > view.counts.recorded);
    }
    session.log = Some((path, says));
}

/// What checks ask of a log.
pub(super) fn view(log: &Transcript, rules: Rules) -> LogView {
    let graph = Graph::of(log, rules.generation);
    let walk = walk(&graph, rules.generation);
    let talk = |is_side: bool| {
        log.rows
            .iter()
            .filter(|row| row.is_talk() && row.is(Mark::Side) == is_side)
            .count()
    };
    LogView {
        bytes: log.bytes,
        modified: Some(log.modified),
        facts: log.facts.clone(),
        faults: log.faults.clone(),
        fault_count: log.fault_count,
        null_line: log.null_line,
        longest_line_bytes: log.longest_line_bytes,
        talk_rows: talk(false) as u64,
        side_talk_rows: talk(true) as u64,
        other_rows: log.side_lines,
        is_loadable: walk.is_some(),
        starts_with: log.starts_with.clone(),
        cut: log.cut.clone(),
        anatomy: Anatomy::of(log, &graph, walk.as_ref()),
        counts: count(log, &graph, walk.as_ref(), rules.generation),
    }
}

/// Names the findings that lead to a forecast which is not whole.
fn name_reasons(forecast: &mut Forecast, findings: &[crate::check::Finding]) {
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

fn store_answer(session: &Session) -> Store {
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

fn log_answer(session: &Session) -> Log {
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

fn candidates(session: &Session) -> Vec<Candidate> {
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
