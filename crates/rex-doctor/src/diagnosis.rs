//! The answer about one session: the object of the machine interface `rex-doctor.session/1`, keys in its order.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::check::Finding;
use crate::forecast::{Forecast, History, Outcome, Saves};

mod verdict;

pub use verdict::Verdict;

/// The whole answer about one session of one agent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Diagnosis {
    /// `rex-doctor.session/1`.
    pub schema: &'static str,
    /// The agent's name.
    pub agent: &'static str,
    /// What the person would hand to the agent's resume command.
    pub argument: String,
    /// The id that the argument means; null where that is none or not exactly one.
    pub session: Option<String>,
    /// The client's version.
    pub client: Client,
    /// The effective home.
    pub home: Home,
    /// What the store knows.
    pub store: Store,
    /// What the log holds.
    pub log: Log,
    /// One per surface.
    pub forecasts: Vec<Forecast>,
    /// Worst first.
    pub findings: Vec<Finding>,
    /// One line a person can act on.
    pub verdict: String,
    /// The sessions that an ambiguous argument fits, or the nearest ones where nobody has a trace. Not in the object:
    /// they are the evidence of its finding.
    #[serde(skip)]
    pub candidates: Vec<Candidate>,
}

/// `schema` of a diagnosis.
pub const SESSION_SCHEMA: &str = "rex-doctor.session/1";

/// The version of the client that the forecasts hold for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Client {
    /// The version.
    pub version: String,
    /// Where it was taken from.
    pub from: VersionFrom,
}

/// Where a client's version was taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VersionFrom {
    /// `--client-version`.
    Flag,
    /// The newest record of the session that names one.
    Session,
    /// The newest record in that home.
    Home,
    /// The newest version the doctor knows.
    Known,
}

impl VersionFrom {
    /// What it means, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Flag => "as given",
            Self::Session => "newest record of this session",
            Self::Home => "newest record in this home",
            Self::Known => "nothing on record; the newest one known",
        }
    }
}

/// The home that the agent would use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Home {
    /// Its path, as the client sees it.
    pub path: String,
    /// What selects it, such as `env CODEX_HOME` or `default`.
    pub from: String,
    /// Other homes on this disk that hold sessions.
    pub others: Vec<String>,
}

/// What the agent's own record says about the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Store {
    /// The answer.
    pub state: StoreState,
    /// Where the record is or would be.
    pub path: Option<String>,
    /// What makes the state so.
    pub detail: Option<String>,
}

/// What the store answers when asked for the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoreState {
    /// It has the session.
    Has,
    /// It has no record of it.
    None,
    /// It could not be read.
    Unreadable,
    /// Another process holds it.
    Busy,
    /// It has it, and a filter hides it.
    Hidden,
    /// Its record points at a place that is no more.
    Moved,
    /// This agent has no such store.
    NotApplicable,
    /// It could not be established.
    Unknown,
}

impl StoreState {
    /// The word of the machine interface.
    pub fn word(self) -> &'static str {
        match self {
            Self::Has => "has",
            Self::None => "none",
            Self::Unreadable => "unreadable",
            Self::Busy => "busy",
            Self::Hidden => "hidden",
            Self::Moved => "moved",
            Self::NotApplicable => "not_applicable",
            Self::Unknown => "unknown",
        }
    }
}

/// What lies on the disk of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Log {
    /// The answer.
    pub state: LogState,
    /// The log's path.
    pub path: Option<String>,
    /// Its size in bytes.
    pub bytes: Option<u64>,
    /// What it holds; null where nothing could be counted.
    pub messages: Option<Messages>,
}

/// What the log holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogState {
    /// It is where the client looks, and reads.
    Present,
    /// It is nowhere.
    Missing,
    /// It lies where the client does not look.
    Elsewhere,
    /// It is there, and a part of it does not read or does not hang together.
    Damaged,
    /// It lies among the archived ones.
    Archived,
    /// It could not be read.
    Unreadable,
    /// This agent keeps no log beside its store.
    NotApplicable,
    /// It could not be established.
    Unknown,
}

impl LogState {
    /// The word of the machine interface.
    pub fn word(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Missing => "missing",
            Self::Elsewhere => "elsewhere",
            Self::Damaged => "damaged",
            Self::Archived => "archived",
            Self::Unreadable => "unreadable",
            Self::NotApplicable => "not_applicable",
            Self::Unknown => "unknown",
        }
    }
}

/// Prompts of the person and replies of the model; a count that could not be established is null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Messages {
    /// All that the log proves to have existed.
    pub recorded: Option<u64>,
    /// Those on the path that the client walks.
    pub reachable: Option<u64>,
    /// Those that the next request of the first surface carries.
    pub loaded: Option<u64>,
}

/// A session that an argument may mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Candidate {
    /// The agent's name.
    pub agent: &'static str,
    /// The session's id.
    pub session: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Its last activity, RFC 3339, UTC.
    #[serde(serialize_with = "rfc3339")]
    #[schemars(with = "Option<String>")]
    pub last_activity: Option<Timestamp>,
}

/// One session in a list: what a survey of a home says about it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SessionLine {
    /// The agent's name.
    pub agent: &'static str,
    /// The session's id.
    pub session: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// The folder it was held in.
    pub folder: Option<String>,
    /// Its last activity by its own records (not the file's time), RFC 3339, UTC.
    #[serde(serialize_with = "rfc3339")]
    #[schemars(with = "Option<String>")]
    pub last_activity: Option<Timestamp>,
    /// The home it lies in.
    pub home: String,
    /// What the store knows.
    pub store: StoreState,
    /// What the log holds.
    pub log: LogState,
    /// Of the first surface, started in the session's own folder.
    pub forecast: Forecast,
    /// Worst first.
    pub findings: Vec<Finding>,
    /// False where only the head and tail of the log were read.
    pub read_whole: bool,
}

/// What a survey of one home of one agent says.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Survey {
    /// The agent's name.
    pub agent: &'static str,
    /// The effective home.
    pub home: Home,
    /// True where that home is there.
    pub exists: bool,
    /// The client's version.
    pub client: Client,
    /// Faults of the home itself, and what could not be read in it.
    pub findings: Vec<Finding>,
    /// Its sessions.
    pub sessions: Vec<SessionLine>,
    /// False where a bound was reached: then there may be more sessions.
    pub complete: bool,
}

impl Diagnosis {
    /// Puts the findings in order and writes the verdict. To be called once all else is filled in.
    #[must_use]
    pub fn concluded(mut self) -> Self {
        self.findings
            .sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        self.verdict = self.sum().line();
        self
    }

    /// True where a finding of the agent has this witness and fault.
    pub fn has_finding(&self, witness_and_fault: &str) -> bool {
        let wanted = (self.agent, witness_and_fault);
        self.findings
            .iter()
            .any(|finding| finding.id.split_once('.') == Some(wanted))
    }
}

/// What a forecast means, in a few words that begin a sentence.
pub fn outcome_words(forecast: &Forecast) -> &'static str {
    match (forecast.outcome, forecast.history, forecast.saves) {
        (Outcome::Resumes, _, Some(Saves::Nothing)) => "resumes, and the new turn is saved nowhere",
        (Outcome::Resumes, Some(History::None), _) => "resumes and has forgotten everything",
        (Outcome::Resumes, Some(History::Partial), _) => "resumes with a part of the conversation",
        (Outcome::Resumes, Some(History::Full) | None, _) => "resumes",
        (Outcome::StartsNew, Some(History::Full | History::Partial), _) => {
            "starts a new session that replays this one"
        }
        (Outcome::StartsNew, _, _) => "silently starts a new session",
        (Outcome::Refuses, _, _) => "refuses",
        (Outcome::Hangs, _, _) => "hangs",
        (Outcome::Unknown, _, _) => "what the client will do is not known",
    }
}

#[expect(clippy::ref_option, reason = "serde passes the field by reference")]
fn rfc3339<S: Serializer>(time: &Option<Timestamp>, out: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => out.collect_str(&time.strftime("%Y-%m-%dT%H:%M:%SZ")),
        None => out.serialize_none(),
    }
}
