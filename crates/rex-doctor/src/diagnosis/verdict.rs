//! The one line that a person in a hurry reads: what will happen, with counts, and the command to paste first.

use super::{Diagnosis, outcome_words};
use crate::check::{Finding, Remedy, Severity};
use crate::forecast::{Forecast, History, Outcome, Saves};
use crate::report::quote;

/// What will happen, and what to do first about it.
pub struct Verdict<'a> {
    /// What will happen and why.
    pub words: String,
    /// What to do first, where anything is to be done.
    pub remedy: Option<&'a Remedy>,
}

impl Verdict<'_> {
    /// What stands between the words and the command.
    pub const PASTE: &'static str = "; paste first: ";

    /// All of it in one line.
    pub fn line(&self) -> String {
        match self.command() {
            Some(command) => [&self.words, Self::PASTE, &command].concat(),
            None => self.words.clone(),
        }
    }

    /// The command to paste, quoted for a shell.
    pub fn command(&self) -> Option<String> {
        Some(quote::command(self.remedy?.command.as_ref()?))
    }
}

impl Diagnosis {
    /// Sums the answer up.
    pub fn sum(&self) -> Verdict<'_> {
        let Some(forecast) = self.forecasts.first() else {
            return self.without_forecast();
        };
        let what = self.outcome(forecast);
        let Some(finding) = self.cause(forecast) else {
            return Verdict {
                words: what,
                remedy: None,
            };
        };
        // Remedies stand in their order: a later one may throw away what the first one brings back. Where several
        // sessions are meant, none is picked.
        let first = finding.remedies.first().filter(|_| self.candidates.is_empty());
        let pasted = first.filter(|remedy| remedy.command.is_some());
        let joint = if forecast.is_whole() { "; but" } else { ":" };
        let mut words = format!("{what}{joint} {}", finding.summary);
        if let (None, Some(remedy)) = (pasted, first) {
            words = format!("{words}; {}", remedy.text);
        }
        Verdict {
            words,
            remedy: pasted,
        }
    }

    fn without_forecast(&self) -> Verdict<'_> {
        let worst = self.findings.iter().find(|finding| is_counted(finding));
        Verdict {
            words: worst.map_or_else(
                || "nothing was asked".to_owned(),
                |finding| finding.summary.clone(),
            ),
            remedy: None,
        }
    }

    /// The finding that the forecast follows from, else the worst one.
    fn cause(&self, forecast: &Forecast) -> Option<&Finding> {
        let named = forecast
            .because
            .iter()
            .find_map(|id| self.findings.iter().find(|finding| finding.id == *id));
        named.or_else(|| self.findings.iter().find(|finding| is_counted(finding)))
    }

    fn outcome(&self, forecast: &Forecast) -> String {
        if forecast.outcome != Outcome::Resumes {
            return outcome_words(forecast).to_owned();
        }
        let what = match forecast.history {
            Some(History::Full) => "resumes whole",
            Some(History::Partial) => "resumes with a part of the conversation",
            Some(History::None) => "resumes and has forgotten everything",
            None => "resumes",
        };
        let messages = self.log.messages.unwrap_or_default();
        let counts = match (messages.loaded, messages.recorded) {
            (Some(loaded), Some(recorded)) => format!(" ({loaded} of {recorded} messages)"),
            (Some(_) | None, _) => String::new(),
        };
        let saves = match forecast.saves {
            Some(Saves::Same) => ", saved to the same session",
            Some(Saves::New) => ", saved to a new session",
            Some(Saves::Nothing) => ", and the new turn is saved nowhere",
            None => "",
        };
        [what, &counts, saves].concat()
    }
}

fn is_counted(finding: &Finding) -> bool {
    finding.severity > Severity::Info
}
