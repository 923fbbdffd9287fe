//! Puts together the whole answer about one session.

use super::client::{self, Surface};
use super::gather;
use super::home::{self, Home};
use super::log::{self, Files};
use super::names::Meant;
use super::session::{Opened, Session};
use super::store::{self, Opening};
use super::{AGENT, CHECKS};
use crate::agents::Question;
use crate::check::{Finding, judge};
use crate::diagnosis::{
    Candidate, Client, Diagnosis, Home as ShownHome, Log, LogState, Messages, SESSION_SCHEMA, Store,
    StoreState, VersionFrom,
};
use crate::evidence::{Says, Why};
use crate::forecast::Forecast;
use crate::nearest::nearest;
use crate::place::Place;
use crate::version::ClientVersion;

/// Diagnoses one argument.
pub(super) fn diagnose(place: &Place, question: &Question) -> Diagnosis {
    let home = home::home(place);
    let files = log::files(place, &home.path);
    let (version, from) = version(place, &home, &files, question);
    let (low, high) = client::rules(&version);
    let mut session = gather::gather(place, &question.argument, high, &home, &files);
    session.host_log = question
        .host_log
        .as_ref()
        .map(|path| (path.clone(), !place.stat(path).is_absent()));
    session.nearest = candidates(&session)
        .into_iter()
        .map(|candidate| candidate.session)
        .collect();
    let findings = judge(CHECKS, &session);
    let blind = client::blinds_exec(&session, high).then(|| gather::without_store(place, &session, high));
    let earlier =
        (!std::ptr::eq(low, high)).then(|| gather::gather(place, &question.argument, low, &home, &files));
    let forecasts = question.surfaces.iter().map(|name| {
        let Some(surface) = Surface::named(name) else {
            return Forecast::unknown(name);
        };
        let seen = blind.as_ref().filter(|_| surface.is_exec()).unwrap_or(&session);
        let forecast = client::forecast(seen, surface, high);
        let forecast = match &earlier {
            Some(earlier) => forecast.agreed(&client::forecast(earlier, surface, low)),
            None => forecast,
        };
        because(forecast, &findings)
    });
    let forecasts: Vec<Forecast> = forecasts.collect();
    Diagnosis {
        schema: SESSION_SCHEMA,
        agent: AGENT.name,
        argument: question.argument.clone(),
        session: session
            .thread()
            .filter(|_| has_trace(&session))
            .map(str::to_owned),
        client: Client {
            version: version.to_string(),
            from,
        },
        home: shown_home(&session),
        store: store(&session),
        log: log_of(&session),
        forecasts,
        candidates: candidates(&session),
        findings,
        verdict: String::new(),
    }
    .concluded()
}

/// The version that is asked about: the one named, the session's own, the home's newest, the newest known.
pub(super) fn version(
    place: &Place,
    home: &Home,
    files: &Files,
    question: &Question,
) -> (ClientVersion, VersionFrom) {
    if let Some(version) = &question.client_version {
        return (version.clone(), VersionFrom::Flag);
    }
    let id = super::name::thread_id(&question.argument).ok();
    let file = id.as_deref().and_then(|id| files.by_name(id));
    let of_file =
        |path| log::first_record(place, path).and_then(|meta| ClientVersion::parse(&meta.cli_version));
    if let Some(version) = file.and_then(|file| of_file(&file.path)) {
        return (version, VersionFrom::Session);
    }
    newest_in(place, home).map_or_else(
        || (client::newest_version(), VersionFrom::Known),
        |version| (version, VersionFrom::Home),
    )
}

/// The newest version that a row of the home names.
fn newest_in(place: &Place, home: &Home) -> Option<ClientVersion> {
    newest_of(&store::state(place, &home.state_db(), None).read()?.newest)
}

/// The newest version that one of the rows names.
pub(super) fn newest_of(rows: &[store::Row]) -> Option<ClientVersion> {
    rows.iter()
        .filter_map(|row| ClientVersion::parse(&row.cli_version))
        .max()
}

/// True where anything shows that the session exists or existed.
pub(super) fn has_trace(session: &Session) -> bool {
    let id = session.thread().unwrap_or_default();
    session.row().is_some()
        || session.files.of(id).next().is_some()
        || session.elsewhere.is_some()
        || session.stranger.is_some()
        || !session.traces.is_empty()
}

/// Names the findings that lead to a forecast that is not whole.
pub(super) fn because(forecast: Forecast, findings: &[Finding]) -> Forecast {
    if forecast.is_whole() {
        return forecast;
    }
    let severe = findings
        .iter()
        .filter(|finding| finding.severity > crate::check::Severity::Info);
    severe.fold(forecast, |forecast, finding| forecast.because(&finding.id))
}

fn shown_home(session: &Session) -> ShownHome {
    ShownHome {
        path: session.home.path.display().to_string(),
        from: session.home.from(),
        others: session
            .other_homes
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
    }
}

/// What the store says.
pub(super) fn store(session: &Session) -> Store {
    let path = Some(session.home.state_db().display().to_string());
    let (state, detail) = match (&session.stores.held, &session.stores.state) {
        (Some(_), _) => (StoreState::Busy, Some("another process holds it".to_owned())),
        (None, Opening::Absent) => (StoreState::None, Some("there is no state database".to_owned())),
        (None, Opening::Broken(store::Fault::NotADatabase)) => (
            StoreState::Unreadable,
            Some("it is no database (code 26)".to_owned()),
        ),
        (None, Opening::Broken(store::Fault::Malformed)) => (
            StoreState::Unreadable,
            Some("its pages do not hang together (code 11)".to_owned()),
        ),
        (None, Opening::Broken(store::Fault::NoFolder)) => {
            (StoreState::Unreadable, Some("its folder is a file".to_owned()))
        }
        (None, Opening::Broken(store::Fault::CannotOpen(why) | store::Fault::Unread(why))) => {
            (StoreState::Unreadable, Some(why.clone()))
        }
        (None, Opening::Read(_)) => row_state(session),
    };
    Store { state, path, detail }
}

fn row_state(session: &Session) -> (StoreState, Option<String>) {
    let Some(row) = session.row() else {
        let rows = session.state().map_or(0, |state| state.rows);
        return (StoreState::None, Some(format!("no row of this id among {rows}")));
    };
    let names = format!("its row names {}", row.rollout_path.display());
    if row.is_archived {
        return (StoreState::Hidden, Some(format!("its row is archived; {names}")));
    }
    if session.has_stale_path() {
        let is_elsewhere = session.files.of(&row.id).next().is_some() || session.stranger.is_some();
        let state = if is_elsewhere {
            StoreState::Moved
        } else {
            StoreState::Has
        };
        return (state, Some(format!("{names}, where nothing lies")));
    }
    (StoreState::Has, Some(names))
}

/// What the log holds.
pub(super) fn log_of(session: &Session) -> Log {
    let nothing = Log {
        state: LogState::Missing,
        path: None,
        bytes: None,
        messages: None,
    };
    let Some(log) = session.log.as_ref().filter(|log| !log.rollout.is_absent()) else {
        return elsewhere(session).unwrap_or(nothing);
    };
    let path = Some(log.path.display().to_string());
    let Says::Read(rollout) = &log.rollout else {
        let state = match log.rollout.why() {
            Some(Why::IsDirectory | Why::NotDirectory) => LogState::Missing,
            _ => LogState::Unreadable,
        };
        return Log {
            state,
            path,
            bytes: None,
            messages: None,
        };
    };
    let is_archived = session
        .files
        .rollouts
        .iter()
        .any(|file| file.path == log.path && file.spot == log::Spot::Archived);
    let state = match () {
        () if is_damaged(session, log) => LogState::Damaged,
        () if is_archived => LogState::Archived,
        () => LogState::Present,
    };
    Log {
        state,
        path: Some(rollout.path.display().to_string()),
        bytes: Some(rollout.bytes),
        messages: messages(session, log),
    }
}

fn is_damaged(session: &Session, log: &Opened) -> bool {
    let Says::Read(rollout) = &log.rollout else {
        return false;
    };
    let is_headless = rollout
        .meta()
        .is_none_or(|meta| Some(meta.id.as_str()) != session.thread());
    let is_numbered = rollout
        .meta()
        .is_some_and(|meta| meta.history_mode == super::meta::HistoryMode::Paginated);
    let is_unnumbered = is_numbered && !matches!(rollout.tail, log::Tail::Numbered(_));
    is_headless
        || is_unnumbered
        || rollout.first != super::meta::First::Meta
        || log.lineage.broken.is_some()
        || session.lost(log).is_some_and(|lost| lost > 0)
}

fn elsewhere(session: &Session) -> Option<Log> {
    let id = session.thread()?;
    let named = session.files.by_name(id);
    let path = session
        .elsewhere
        .as_ref()
        .map(|found| &found.log)
        .or(session.stranger.as_ref());
    let state = match named {
        Some(file) if file.spot == log::Spot::Archived => LogState::Archived,
        _ => LogState::Elsewhere,
    };
    let path = named.map(|file| &file.path).or(path)?;
    Some(Log {
        state,
        path: Some(path.display().to_string()),
        bytes: None,
        messages: None,
    })
}

fn messages(session: &Session, log: &Opened) -> Option<Messages> {
    let Some(Says::Read(count)) = &log.count else {
        return None;
    };
    Some(Messages {
        recorded: session.recorded(log).map(super::conversation::Tally::sum),
        reachable: Some(count.reachable.sum()),
        loaded: Some(count.loaded.sum()),
    })
}

fn candidates(session: &Session) -> Vec<Candidate> {
    let rows = session
        .state()
        .map(|state| state.newest.as_slice())
        .unwrap_or_default();
    let ids: Vec<String> = match &session.meant {
        Meant::Several(ids) => ids.clone(),
        Meant::One { .. } if has_trace(session) => return vec![],
        Meant::One { .. } | Meant::Nothing => {
            let all = rows.iter().map(|row| row.id.as_str());
            let all = all.chain(session.files.rollouts.iter().map(|file| file.id.as_str()));
            let mut all: Vec<&str> = all.collect();
            all.sort_unstable();
            all.dedup();
            nearest(&session.argument, all)
                .into_iter()
                .map(str::to_owned)
                .collect()
        }
    };
    let candidate = |id: String| {
        let row = rows.iter().find(|row| row.id == id);
        Candidate {
            agent: AGENT.name,
            title: row.map(|row| row.title.clone()).filter(|title| !title.is_empty()),
            last_activity: row.and_then(|row| jiff::Timestamp::from_millisecond(row.updated_at_ms).ok()),
            session: id,
        }
    };
    ids.into_iter().map(candidate).collect()
}
