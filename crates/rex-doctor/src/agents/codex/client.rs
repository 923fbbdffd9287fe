//! What Codex does when it is asked for a session: its own rule of lookup and loading, by release. Everything that is
//! forecast comes from here.

use super::names::How;
use super::session::{Opened, Session};
use crate::evidence::Says;
use crate::forecast::{Forecast, History, Saves};
use crate::version::{ClientVersion, Seen};

pub(super) mod active_writer;
pub(super) mod default_provider_unknown;
pub(super) mod hidden_in_picker;
pub(super) mod last_starts_new;
pub(super) mod load;
pub(super) mod lock_refused;
pub(super) mod lookup;
pub(super) mod not_signed_in;
pub(super) mod provider_differs;
pub(super) mod provider_unknown;
mod say;
mod start;
mod stop;
pub(super) mod versions_mixed;

use stop::Stop;

/// What differs from release to release.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one difference between releases"
)]
#[derive(Debug)]
pub(super) struct Rules {
    /// The store's row picks the log, and its archive flag counts; else the log is looked for by name.
    pub(super) row_decides: bool,
    /// `--last` asks the store first; else only the files.
    pub(super) lists_rows: bool,
    /// A prompt that is only recorded as an item makes a file listable; else only a prompt event does.
    pub(super) previews_items: bool,
    /// The client writes and reads numbered records, forks by reference, and keeps a writer lock.
    pub(super) numbers_records: bool,
    /// The errors of `exec` end with their code.
    pub(super) says_codes: bool,
    /// Packed logs are read.
    pub(super) unpacks: bool,
    /// A store that does not open stops the client.
    pub(super) needs_store: bool,
    /// A session keeps its provider, and the client stops where it cannot.
    pub(super) keeps_provider: bool,
    /// A log whose first record names another thread is refused; else the client goes on under that thread's id.
    pub(super) checks_identity: bool,
    /// The terminal waits for an answer where the session's folder is another one.
    pub(super) asks_folder: bool,
    /// What it calls an id that is none.
    pub(super) bad_id: &'static str,
}

/// The rules, with the releases on which they were seen.
pub(super) const SEEN: Seen<Rules> = Seen(&[
    (
        ClientVersion::new(0, 125, 0),
        Rules {
            row_decides: false,
            lists_rows: false,
            previews_items: false,
            numbers_records: false,
            says_codes: false,
            unpacks: false,
            needs_store: false,
            keeps_provider: false,
            checks_identity: false,
            asks_folder: true,
            bad_id: "invalid thread id",
        },
    ),
    (
        ClientVersion::new(0, 171, 0),
        Rules {
            row_decides: true,
            lists_rows: true,
            previews_items: true,
            numbers_records: true,
            says_codes: true,
            unpacks: true,
            needs_store: true,
            keeps_provider: true,
            checks_identity: true,
            asks_folder: false,
            bad_id: "invalid session id",
        },
    ),
]);

/// The rules seen at or below, and at or above, a version.
pub(super) fn rules(version: &ClientVersion) -> (&'static Rules, &'static Rules) {
    SEEN.around(version).expect("there is a release that was seen")
}

/// The newest release that was seen.
pub(super) fn newest_version() -> ClientVersion {
    SEEN.0
        .last()
        .map_or(ClientVersion::new(0, 171, 0), |(version, _)| version.clone())
}

/// A way of asking for a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Surface {
    /// `codex exec resume ARG`.
    Exec,
    /// `codex exec resume --last`.
    ExecLast,
    /// The app server's `thread/resume`.
    AppServer,
    /// `codex resume ARG`.
    Tui,
}

impl Surface {
    /// All, with their names, in the order of reports.
    pub(super) const ALL: [(&'static str, Surface); 4] = [
        ("exec", Self::Exec),
        ("exec_last", Self::ExecLast),
        ("app_server", Self::AppServer),
        ("tui", Self::Tui),
    ];

    /// The surface of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, surface)| *surface)
    }

    /// True for both ways of `codex exec resume`.
    pub(super) fn is_exec(self) -> bool {
        matches!(self, Self::Exec | Self::ExecLast)
    }

    fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, known)| *known == self)
            .map_or("", |(name, _)| name)
    }
}

/// Forecasts what the client does. Where it finds the log by name alone and several files have the name, the forecast
/// must hold for each of them.
pub(super) fn forecast(session: &Session, surface: Surface, rules: &Rules) -> Forecast {
    let forecast = one(session, surface, rules);
    if surface == Surface::ExecLast {
        return forecast;
    }
    session.twins.iter().fold(forecast, |forecast, twin| {
        let other = Session {
            log: Some(twin.clone()),
            twins: vec![],
            ..session.clone()
        };
        forecast.agreed(&one(&other, surface, rules))
    })
}

fn one(session: &Session, surface: Surface, rules: &Rules) -> Forecast {
    if surface == Surface::ExecLast && start::client(session, surface, rules).is_ok() {
        if lookup::is_store_unlisted(session) {
            return say::refusal(session, surface, rules, &Stop::ListingUnavailable);
        }
        return last(session, rules);
    }
    match outcome(session, surface, rules) {
        Ok(goes_on) => goes_on.forecast(session, surface, rules),
        Err(stop) => say::refusal(session, surface, rules, &stop),
    }
}

/// True where `codex exec` goes on without the store.
pub(super) fn blinds_exec(session: &Session, rules: &Rules) -> bool {
    start::blinds_exec(&session.stores, &session.home, rules)
}

/// How the client goes on.
enum GoesOn<'a> {
    /// In that log, under the id asked for.
    In(&'a Opened),
    /// In the log asked for, under another id.
    UnderAnotherId(&'a Opened),
    /// In a new or another session.
    Elsewhere,
}

fn outcome<'a>(session: &'a Session, surface: Surface, rules: &Rules) -> Result<GoesOn<'a>, Stop> {
    start::client(session, surface, rules)?;
    match surface {
        // A client without its store knows no names.
        Surface::Exec
            if session.id.is_err() && !(session.sees_store && session.meant.how() == Some(How::Name)) =>
        {
            Ok(GoesOn::Elsewhere)
        }
        Surface::AppServer if session.id.is_err() => {
            let words = session.id.as_ref().err().cloned().unwrap_or_default();
            Err(Stop::thread(format!("{}: {words}", rules.bad_id)))
        }
        Surface::Tui if session.id.is_err() => Err(Stop::lookup(String::new())),
        Surface::Exec | Surface::ExecLast | Surface::AppServer | Surface::Tui => {
            if let Err(stop) = lookup::session(session, surface, rules) {
                return Err(asked_first(session, surface, rules, stop));
            }
            let log = session.log.as_ref().ok_or_else(|| lookup::not_found(session))?;
            go_on(session, log, surface, rules)?;
            let is_other = !rules.checks_identity && surface != Surface::Tui && is_of_another(session, log);
            Ok(if is_other {
                GoesOn::UnderAnotherId(log)
            } else {
                GoesOn::In(log)
            })
        }
    }
}

fn is_of_another(session: &Session, log: &Opened) -> bool {
    let Says::Read(rollout) = &log.rollout else {
        return false;
    };
    rollout
        .meta()
        .is_some_and(|meta| Some(meta.id.as_str()) != session.thread())
}

/// The session that a listing comes upon first is resumed by its id, whichever it is.
fn last(session: &Session, rules: &Rules) -> Forecast {
    let surface = Surface::ExecLast;
    let Some(taken) = &session.taken_up else {
        if let Some(words) = lookup::listing_fault(session) {
            return say::refusal(session, surface, rules, &Stop::ListingRefused(words));
        }
        return GoesOn::Elsewhere.forecast(session, surface, rules);
    };
    let resumed = lookup::session(taken, surface, rules).and_then(|()| {
        let log = taken.log.as_ref().ok_or_else(|| lookup::not_found(taken))?;
        go_on(taken, log, surface, rules)?;
        Ok(log)
    });
    let log = match resumed {
        Ok(log) => log,
        Err(stop) => return say::refusal(taken, surface, rules, &stop),
    };
    let is_same = taken.thread() == session.thread();
    let is_its_file = session
        .thread()
        .is_some_and(|id| session.files.of(id).any(|file| file.path == log.path));
    match () {
        () if is_same => GoesOn::In(log).forecast(session, surface, rules),
        () if is_its_file => GoesOn::UnderAnotherId(log).forecast(session, surface, rules),
        () => Forecast {
            history: Some(shared_history(session, taken).unwrap_or(History::None)),
            ..GoesOn::Elsewhere.forecast(session, surface, rules)
        },
    }
}

/// What another session's request carries of this one's messages, where one goes on from the other by reference.
fn shared_history(session: &Session, taken: &Session) -> Option<History> {
    let (own, other) = (session.log.as_ref()?, taken.log.as_ref()?);
    let is_in = |one: &Opened, of: &Opened| of.lineage.segments.iter().any(|part| part.path == one.path);
    let (Some(Says::Read(own_count)), Some(Says::Read(other_count))) = (&own.count, &other.count) else {
        return None;
    };
    let shared = match () {
        () if is_in(own, other) => {
            let above = other.own_count.as_ref()?.loaded;
            other_count.loaded.minus(above)
        }
        () if is_in(other, own) => other_count.loaded,
        () => return None,
    };
    Some(History::of(
        shared.sum().min(own_count.recorded.sum()),
        own_count.recorded.sum(),
    ))
}

/// The terminal asks about the provider of a row before it finds that the row's log is not there.
fn asked_first(session: &Session, surface: Surface, rules: &Rules, stop: Stop) -> Stop {
    let is_found = !matches!(stop, Stop::Thread { is_lookup: true, .. });
    let row = session
        .row()
        .filter(|_| surface == Surface::Tui && rules.keeps_provider && is_found);
    match row {
        Some(row) if !session.home.settings().knows(&row.model_provider) => {
            Stop::ProviderUnknown(row.model_provider.clone())
        }
        _ => stop,
    }
}

/// Goes on with a session that was found. The terminal asks about its provider before anything else.
fn go_on(session: &Session, log: &Opened, surface: Surface, rules: &Rules) -> Result<(), Stop> {
    if surface == Surface::Tui && rules.keeps_provider {
        load::known_provider(session, log)?;
    }
    if rules.row_decides {
        lookup::archived(session, log, surface)?;
    }
    load::context(session, log, surface, rules)
}

impl GoesOn<'_> {
    fn forecast(&self, session: &Session, surface: Surface, rules: &Rules) -> Forecast {
        let name = surface.name();
        match self {
            GoesOn::In(log) => match history(session, log, rules) {
                Some(history) => Forecast::resumes(name, Some(history), Some(Saves::Same)),
                // Nobody counted: that it resumes is known, how whole is not.
                None if log.count.is_none() => Forecast::resumes(name, None, Some(Saves::Same)),
                None => Forecast::unknown(name),
            },
            GoesOn::UnderAnotherId(log) => {
                let forecast = Forecast::starts_new(name);
                Forecast {
                    history: history(session, log, rules).or(forecast.history),
                    ..forecast
                }
            }
            GoesOn::Elsewhere => Forecast::starts_new(name),
        }
    }
}

fn history(session: &Session, log: &Opened, rules: &Rules) -> Option<History> {
    let Some(Says::Read(whole)) = &log.count else {
        return None;
    };
    // A release that does not know forks by reference sees only the fork's own file.
    let seen = if rules.numbers_records {
        whole
    } else {
        log.own_count.as_ref().unwrap_or(whole)
    };
    let recorded = session.recorded(log)?;
    Some(History::of(seen.loaded.sum(), recorded.sum()))
}
