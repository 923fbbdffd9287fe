//! The client's own rule of lookup and loading, by version range: what it will do with a session. Rules are data; a
//! version between two seen ones gets both, and where they differ the forecast is unknown.

// Its checks.
pub(super) mod background_holder;
pub(super) mod continue_starts_new;
pub(super) mod persistence_off;
pub(super) mod sdk_differs;
pub(super) mod stale_registry;
pub(super) mod version_unseen;
pub(super) mod versions_mixed;

use std::path::{Path, PathBuf};

use super::graph::Generation;
use super::home::{Holder, StateFile};
use super::key;
use crate::evidence::{Says, Why};
use crate::forecast::{Forecast, History, Outcome, Saves};

pub(super) mod chain;
mod continued;
pub(super) mod listing;
pub(super) mod loaded;
pub(super) mod lookup;
mod malformed;
pub(super) mod parser;
pub(super) mod sdk;
pub(super) mod text;
mod version_rules;

pub(super) use version_rules::{NEWEST, Prefix, Rules, rules};

use lookup::{Found, Load, Loaded, Reader, Via};

/// What an argument is, for the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// An id.
    Id(String),
    /// A path to a log.
    Path(String),
    /// An address: the client asks a server for it.
    Address,
    /// Anything else: a title, perhaps.
    Title(String),
}

impl Meaning {
    pub(super) fn of(argument: &str) -> Self {
        let argument = argument.trim();
        if argument.to_lowercase().ends_with(".jsonl") {
            return Meaning::Path(argument.to_owned());
        }
        if key::is_uuid(argument) {
            return Meaning::Id(argument.to_owned());
        }
        let scheme = argument.split_once(':').map(|(scheme, _)| scheme);
        let is_scheme = |scheme: &str| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        };
        if scheme.is_some_and(is_scheme) {
            return Meaning::Address;
        }
        Meaning::Title(argument.to_owned())
    }
}

/// What a forecast is made from.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Question<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) argument: &'a str,
    pub(super) meaning: &'a Meaning,
    /// The session that the argument means.
    pub(super) session: Option<&'a str>,
    pub(super) state: &'a StateFile,
    pub(super) state_path: &'a Path,
    pub(super) has_backup: bool,
    pub(super) holders: &'a [Holder],
    /// The environment keeps the client from saving anything.
    pub(super) saves_nothing: bool,
    /// The config directory's disk has no room left.
    pub(super) is_full: bool,
    /// The most messages that any copy of the session proves.
    pub(super) recorded: u64,
    /// Those copies.
    pub(super) copies: &'a [PathBuf],
    /// Some settings file does not load.
    pub(super) has_bad_settings: bool,
    /// The longest time that logs are kept, in days; none where no setting says so.
    pub(super) cleanup_days: Option<u64>,
    /// The settings say that nothing is kept, which older clients take for an order.
    pub(super) keeps_nothing: bool,
}

impl Question<'_> {
    /// Something keeps the client from saving: the variable is newer than 2.0, the setting was refused later.
    fn is_off(&self, rules: Rules) -> bool {
        match rules.generation {
            Generation::Old => self.keeps_nothing,
            Generation::Middle | Generation::New | Generation::Sdk => self.saves_nothing,
        }
    }
}

/// A forecast, and the log it rests on.
pub(super) struct Prediction {
    pub(super) forecast: Forecast,
    pub(super) log: Option<(Via, Box<Loaded>)>,
}

impl Prediction {
    fn bare(forecast: Forecast) -> Self {
        Self { forecast, log: None }
    }
}

/// What the client does on one surface.
pub(super) fn predict(question: &Question<'_>, surface: &str, rules: Rules) -> Prediction {
    if surface == "sdk" {
        return Prediction::bare(sdk_forecast(question, surface));
    }
    if let Some(words) = state_complaint(question, rules.generation) {
        return Prediction::bare(Forecast::refuses(surface, words));
    }
    if rules.generation == Generation::Old && (question.is_full || has_no_room(question, rules)) {
        return Prediction::bare(Forecast::refuses(surface, text::CRASHED.to_owned()));
    }
    let mut prediction = match surface {
        "continue" => continued::continued(question, surface, rules),
        _ => resumed(question, surface, rules),
    };
    let forecast = &mut prediction.forecast;
    let has_nowhere = forecast.history == Some(History::None) && forecast.saves == Some(Saves::Nothing);
    if forecast.outcome == Outcome::Resumes && has_nowhere {
        // Nothing of the session is in it and nothing goes into it.
        forecast.outcome = Outcome::StartsNew;
    }
    add_notices(question, rules.generation, forecast);
    prediction
}

/// Nothing is there where the client keeps its sessions, and it cannot make it.
fn has_no_room(question: &Question<'_>, rules: Rules) -> bool {
    let reader = question.reader;
    let own = reader.own_folder(&reader.folder(), rules);
    !reader.place.is_directory(&own) && !reader.can_make(&own)
}

/// What 2.1.332 prints first, whatever comes after it.
fn add_notices(question: &Question<'_>, generation: Generation, forecast: &mut Forecast) {
    if generation != Generation::New {
        return;
    }
    if question.is_full && forecast.history.is_some() {
        forecast.message = Some(text::disk_full(&question.reader.config.path.to_string_lossy()));
    }
    if question.has_bad_settings && matches!(forecast.outcome, Outcome::Refuses | Outcome::StartsNew) {
        forecast.message = Some(text::BAD_SETTINGS.to_owned());
    }
}

/// What a client that cannot read its state file says before anything else.
fn state_complaint(question: &Question<'_>, generation: Generation) -> Option<String> {
    let complaint = match question.state {
        StateFile::Fine | StateFile::Absent | StateFile::Unreadable(_) => return None,
        StateFile::Blank if generation == Generation::New && !question.has_backup => return None,
        StateFile::Blank => "Unexpected EOF".to_owned(),
        StateFile::Torn(torn) => parser::complaint(torn)?,
    };
    let plain = question.reader.config.path.join(".claude.json");
    let is_older = question.state_path.ends_with(".config.json") && question.reader.place.is_file(&plain);
    if generation == Generation::New && is_older {
        let used = question.state_path.to_string_lossy();
        return Some(text::two_state_files(&used, &plain.to_string_lossy()));
    }
    Some(text::state_file_torn(
        &question.state_path.to_string_lossy(),
        &complaint,
        generation,
    ))
}

fn resumed(question: &Question<'_>, surface: &str, rules: Rules) -> Prediction {
    let refuses = |words: String| Prediction::bare(Forecast::refuses(surface, words));
    if rules.generation == Generation::Old && question.argument.trim() != question.argument {
        return refuses(text::neither_id_nor_title("", rules.generation));
    }
    let session = match question.meaning {
        Meaning::Id(id) => id.clone(),
        Meaning::Path(path) => return by_path(question, surface, path, rules),
        Meaning::Address if rules.generation == Generation::Old => {
            let mut forecast = Forecast::starts_new(surface);
            forecast.message = Some(failed_write(text::ANY_UUID));
            return Prediction::bare(forecast);
        }
        Meaning::Address => return Prediction::bare(Forecast::refuses(surface, None)),
        Meaning::Title(title) => {
            let titled = if rules.titles && !title.is_empty() {
                listing::titled(question.reader, title, rules)
            } else {
                vec![]
            };
            match titled.as_slice() {
                [only] => only.session.clone(),
                [] => return refuses(text::neither_id_nor_title(title, rules.generation)),
                several => return refuses(text::title_twice(title, several.len())),
            }
        }
    };
    if let Some(holder) = background_holder(question.holders, &session, rules.generation) {
        return refuses(text::held(&session, &holder.kind, rules.generation));
    }
    match question.reader.by_id(&session, rules) {
        Found::Nothing if is_crash(question, rules) => refuses(text::CRASHED.to_owned()),
        Found::Nothing => refuses(text::not_found(&session)),
        Found::Fails(words) => refuses(text::failed(&words)),
        Found::Waits => Prediction::bare(Forecast::hangs(surface)),
        Found::Log(via, loaded) => {
            let forecast = goes_on(question, surface, &loaded, &session, rules);
            Prediction {
                forecast,
                log: Some((via, loaded)),
            }
        }
    }
}

/// Up to 2.0 a folder that cannot be listed ends the client.
fn is_crash(question: &Question<'_>, rules: Rules) -> bool {
    let own = question.reader.own_folder(&question.reader.folder(), rules);
    rules.generation == Generation::Old
        && *question
            .reader
            .place
            .list_up_to(&own, 1)
            .why()
            .unwrap_or(&Why::Busy)
            == Why::NotPermitted
}

/// The background client that keeps others from the session.
pub(super) fn background_holder<'a>(
    holders: &'a [Holder],
    session: &str,
    generation: Generation,
) -> Option<&'a Holder> {
    holders.iter().find(|holder| {
        let is_it = match generation {
            Generation::Old => false,
            Generation::Middle => holder.session == session,
            Generation::New | Generation::Sdk => holder.session.eq_ignore_ascii_case(session),
        };
        let is_background = !holder.kind.is_empty() && holder.kind != "interactive" && !holder.is_parked;
        is_it && is_background && holder.is_alive
    })
}

fn by_path(question: &Question<'_>, surface: &str, path: &str, rules: Rules) -> Prediction {
    let refuses = |words: String| Prediction::bare(Forecast::refuses(surface, words));
    let path = question.reader.place.absolute(Path::new(path));
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    if rules.generation == Generation::Old {
        return Prediction::bare(replayed(question, surface, &path));
    }
    match question.reader.load(&path, rules.generation) {
        Load::Nothing => refuses(text::not_found(text::ANY_UUID)),
        Load::Fails(words) => refuses(text::failed(&words)),
        Load::Waits => Prediction::bare(Forecast::hangs(surface)),
        Load::Loads(loaded) => {
            // The session goes on under the id that its rows name.
            let id = loaded.session.clone().unwrap_or(stem);
            Prediction {
                forecast: goes_on(question, surface, &loaded, &id, rules),
                log: Some((Via::Path, loaded)),
            }
        }
    }
}

/// Up to 2.0 a path is read row by row, whatever their links, into a new session.
fn replayed(question: &Question<'_>, surface: &str, path: &Path) -> Forecast {
    let loaded = match &*question.reader.log(path) {
        Says::Read(log) => log
            .rows
            .iter()
            .filter(|row| row.is_prompt() || row.is_reply())
            .count() as u64,
        Says::Absent | Says::Unreadable(_) => 0,
    };
    let history = if loaded == 0 { History::None } else { History::Full };
    Forecast {
        history: Some(history),
        ..Forecast::starts_new(surface)
    }
}

fn goes_on(question: &Question<'_>, surface: &str, loaded: &Loaded, session: &str, rules: Rules) -> Forecast {
    if loaded.walk.is_endless {
        return Forecast::hangs(surface);
    }
    if rules.generation == Generation::Old && is_swept(question, surface, &loaded.path) {
        return match surface {
            "continue" => Forecast::starts_new(surface),
            _ => Forecast::refuses(surface, text::not_found(session)),
        };
    }
    if let Some(words) = &loaded.stops {
        let says = rules.generation != Generation::Old || surface != "continue";
        return Forecast::refuses(surface, says.then(|| words.clone()));
    }
    if loaded.is_cut {
        return Forecast::unknown(surface);
    }
    let recorded = question.recorded.max(loaded.counts.recorded);
    let history = loaded.counts.history(recorded);
    let is_read_only = question.reader.place.may_write(&loaded.path) == Says::Read(false);
    let is_off = question.is_off(rules);
    let saves = if is_off || is_read_only {
        Saves::Nothing
    } else {
        Saves::Same
    };
    let mut forecast = Forecast::resumes(surface, Some(history), Some(saves));
    if is_read_only && rules.generation == Generation::Old {
        forecast.message = Some(failed_write(session));
    }
    forecast
}

/// 2.0.14 sweeps old logs at its start: by the usual period before it looks for one, by another before it lists them.
fn is_swept(question: &Question<'_>, surface: &str, path: &Path) -> bool {
    const USUAL_DAYS: i64 = 30;
    let place = question.reader.place;
    let Some(stat) = place.stat(path).read() else {
        return false;
    };
    let age_days = (place.now().as_second() - stat.modified.as_second()) / 86_400;
    match question.cleanup_days {
        Some(days) => surface == "continue" && i64::try_from(days).is_ok_and(|days| age_days >= days),
        None => age_days >= USUAL_DAYS,
    }
}

/// What 2.0.14 prints where it cannot write the log.
fn failed_write(session: &str) -> String {
    format!(
        "{{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"duration_ms\":0,\"duration_api_ms\":0,\
         \"is_error\":true,\"num_turns\":0,\"session_id\":\"{session}\",\"total_cost_usd\":0,\"usage\":\
         {{\"input_tokens\":0,\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\"output_tokens\":0,\
         \"server_tool_use\":{{\"web_search_requests\":0}},\"service_tier\":\"standard\",\"cache_creation\":\
         {{\"ephemeral_1h_input_tokens\":0,\"ephemeral_5m_input_tokens\":0}}}},\"modelUsage\":{{}},\
         \"permission_denials\":[],\"uuid\":\"{}\"}}",
        text::ANY_UUID
    )
}

fn sdk_forecast(question: &Question<'_>, surface: &str) -> Forecast {
    let argument = match question.meaning {
        Meaning::Id(id) => id.as_str(),
        Meaning::Path(_) | Meaning::Address | Meaning::Title(_) => "",
    };
    match sdk::answer(question.reader.place, argument) {
        sdk::Answer::Messages(0, _) => Forecast::refuses(surface, None),
        sdk::Answer::Messages(..) => Forecast::resumes(surface, None, None),
        sdk::Answer::Raises(text) => Forecast::refuses(surface, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_mean_what_the_client_takes_them_for() {
        for (argument, expected) in [
            (
                " 05D99DB5-94C4-4413-A0E2-5BCD11901E0A ",
                Meaning::Id("05D99DB5-94C4-4413-A0E2-5BCD11901E0A".to_owned()),
            ),
            ("/a/b.JSONL", Meaning::Path("/a/b.JSONL".to_owned())),
            ("my title", Meaning::Title("my title".to_owned())),
            ("https://x.example/s", Meaning::Address),
            ("latest", Meaning::Title("latest".to_owned())),
        ] {
            assert_eq!(Meaning::of(argument), expected, "{argument}");
        }
    }
}
