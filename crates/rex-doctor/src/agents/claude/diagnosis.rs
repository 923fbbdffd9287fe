//! Puts together what is known about one session: both witnesses, the forecasts, the findings.

mod answer;
pub(super) mod naming;

use std::path::{Path, PathBuf};

use super::anatomy::Anatomy;
use super::client::chain::walk;
use super::client::loaded::count;
use super::client::lookup::{Found, Reader, Via};
use super::client::{self, Meaning, Prediction, Rules};
use super::graph::Graph;
use super::home::{self, ConfigDir, StateFile};
use super::log::Transcript;
use super::row::Mark;
use super::session::{LogView, Session};
use super::store;
use super::{AGENT, CHECKS};
use crate::agents::Question;
use crate::check::judge;
use crate::diagnosis::{Client, Diagnosis, Home, SESSION_SCHEMA};
use crate::evidence::Says;
use crate::place::Place;
use crate::version::ClientVersion;

use answer::{candidates, log_answer, name_reasons, store_answer};
use naming::{Files, Named, name, version};

/// The whole diagnosis of one argument.
pub(super) fn diagnose(place: &Place, question: &Question) -> Diagnosis {
    let config = ConfigDir::of_client(place);
    let reader = Reader::new(place, &config);
    let (others, looked_at) = home::others(place, &config);
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
            .map(|id| home::witness::witnesses(place, config, id))
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
        last_cleanup: home::witness::last_cleanup(place, config),
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
        argument: &session.argument,
        meaning: &session.meaning,
        session: session.id.as_deref(),
        state: &session.state,
        state_path: &session.state_path,
        has_backup: session.backup.is_some(),
        holders: &session.holders,
        saves_nothing: session.saves_nothing.is_some() || session.settings.saves_nothing.is_some(),
        copies: &copies,
        has_bad_settings: !session.settings.faults.is_empty(),
        cleanup_days: session.settings.cleanup_days,
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
