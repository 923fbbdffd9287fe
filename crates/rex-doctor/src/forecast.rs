//! What the real client will do with a session: the words of the machine interface.

use schemars::JsonSchema;
use serde::Serialize;

/// What the client does with the session it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It goes on under the same session id.
    Resumes,
    /// It silently goes on in another or an empty session.
    StartsNew,
    /// It ends before a request is made.
    Refuses,
    /// It still runs at the time limit, whatever it waits for.
    Hangs,
    /// It could not be established.
    Unknown,
}

/// How many of the recorded messages the next model request carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// All of them.
    Full,
    /// Some of them.
    Partial,
    /// None of them.
    None,
}

impl History {
    /// The word for `loaded` of `recorded` messages.
    pub fn of(loaded: u64, recorded: u64) -> Self {
        if loaded == 0 {
            Self::None
        } else if loaded >= recorded {
            Self::Full
        } else {
            Self::Partial
        }
    }
}

/// Where the new turn is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Saves {
    /// Into the session that was asked for.
    Same,
    /// Into another session.
    New,
    /// Nowhere.
    Nothing,
}

/// What one way of asking will come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Forecast {
    /// The way of asking: a command or a call, by the agent's short name for it.
    pub surface: String,
    /// What the client does.
    pub outcome: Outcome,
    /// How much of the conversation the next request carries; null where no request is made.
    pub history: Option<History>,
    /// Where the new turn is written; null where no request is made.
    pub saves: Option<Saves>,
    /// The client's own error text; null where it prints none.
    pub message: Option<String>,
    /// Ids of the findings that lead to this.
    pub because: Vec<String>,
}

impl Forecast {
    /// The client goes on under the same id.
    pub fn resumes(surface: &str, history: Option<History>, saves: Option<Saves>) -> Self {
        Self {
            history,
            saves,
            ..Self::bare(surface, Outcome::Resumes)
        }
    }

    /// The client silently starts another session; nothing of this one is in it.
    pub fn starts_new(surface: &str) -> Self {
        Self {
            history: Some(History::None),
            saves: Some(Saves::New),
            ..Self::bare(surface, Outcome::StartsNew)
        }
    }

    /// The client ends with this message, if it prints one.
    pub fn refuses(surface: &str, message: impl Into<Option<String>>) -> Self {
        Self {
            message: message.into(),
            ..Self::bare(surface, Outcome::Refuses)
        }
    }

    /// The client does not come back.
    pub fn hangs(surface: &str) -> Self {
        Self::bare(surface, Outcome::Hangs)
    }

    /// It could not be established; a finding must say why.
    pub fn unknown(surface: &str) -> Self {
        Self::bare(surface, Outcome::Unknown)
    }

    /// Names a finding that leads to this.
    #[must_use]
    pub fn because(mut self, id: &str) -> Self {
        if !self.because.iter().any(|known| known == id) {
            self.because.push(id.to_owned());
        }
        self
    }

    /// Returns the forecast that holds under both rules, or unknown where they differ in what happens.
    #[must_use]
    pub fn agreed(self, other: &Self) -> Self {
        let same =
            self.outcome == other.outcome && self.history == other.history && self.saves == other.saves;
        if same && self.message == other.message {
            self
        } else {
            Self {
                because: self.because,
                ..Self::bare(&self.surface, Outcome::Unknown)
            }
        }
    }

    /// True where the client goes on in the same session with everything in it, and keeps the new turn.
    pub fn is_whole(&self) -> bool {
        self.outcome == Outcome::Resumes
            && matches!(self.history, None | Some(History::Full))
            && matches!(self.saves, None | Some(Saves::Same))
    }

    fn bare(surface: &str, outcome: Outcome) -> Self {
        Self {
            surface: surface.to_owned(),
            outcome,
            history: None,
            saves: None,
            message: None,
            because: vec![],
        }
    }
}
