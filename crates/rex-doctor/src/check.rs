//! The whole vocabulary of checks: what a check is, what it may answer, and what a finding holds.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing is lost.
    Info,
    /// Something is or may be lost on one surface, or soon.
    Warning,
    /// The conversation does not come back, or not whole.
    Error,
}

impl Severity {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What is known about a check without running it.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// `agent.witness.fault`; also the path of its file and of its page. Never reused.
    pub id: &'static str,
    /// The severity of its findings, unless a finding says otherwise.
    pub severity: Severity,
    /// One line: the fault, without advice.
    pub summary: &'static str,
    /// The five headings: What it means, How it is recognised, What still works, What to do, Reports.
    pub page: &'static str,
    /// `file!()` of the check.
    pub source: &'static str,
}

/// One check over what both witnesses said. `run` is pure: it opens nothing.
#[derive(Clone, Copy, Debug)]
pub struct Check<S> {
    /// What it is about.
    pub about: About,
    /// The judgement.
    pub run: fn(&S) -> Verdict,
}

/// What a check answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The fault is not there.
    Pass,
    /// The fault is there, and this proves it.
    Found(Evidence),
    /// It could not be established; the text says why.
    Unknown(String),
}

/// What proves a fault, and what helps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    summary: Option<String>,
    severity: Option<Severity>,
    lines: Vec<String>,
    remedies: Vec<Remedy>,
}

impl Evidence {
    /// Evidence with this summary in place of the check's general one; the real ids and paths belong in it.
    pub fn new(summary: impl Into<String>) -> Self {
        Self {
            summary: Some(summary.into()),
            ..Self::default()
        }
    }

    /// Adds one line of proof.
    #[must_use]
    pub fn line(mut self, text: impl Into<String>) -> Self {
        self.lines.push(text.into());
        self
    }

    /// Adds one line of proof that names a file.
    #[must_use]
    pub fn file(self, path: &Path, text: &str) -> Self {
        self.line(format!("{}: {text}", path.display()))
    }

    /// Adds one line of proof that names a place in a file, as an offset in bytes from its start.
    #[must_use]
    pub fn at(self, path: &Path, offset_bytes: u64, text: &str) -> Self {
        self.line(format!("{} at byte {offset_bytes}: {text}", path.display()))
    }

    /// Adds a remedy.
    #[must_use]
    pub fn remedy(mut self, remedy: Remedy) -> Self {
        self.remedies.push(remedy);
        self
    }

    /// Sets another severity than the check's.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }
}

/// What a person can do about a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Remedy {
    /// What it does, in one line.
    pub text: String,
    /// The command as a list of arguments; null where there is none to paste.
    pub command: Option<Vec<String>>,
    /// True where it was tried on the real client.
    pub tested: bool,
}

impl Remedy {
    /// A remedy that is one command.
    pub fn command<A: Into<String>>(
        text: &str,
        arguments: impl IntoIterator<Item = A>,
        tested: bool,
    ) -> Self {
        let command = arguments.into_iter().map(Into::into).collect();
        Self {
            text: text.to_owned(),
            command: Some(command),
            tested,
        }
    }

    /// A remedy that no single command does.
    pub fn advice(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            command: None,
            tested: false,
        }
    }
}

/// A fault that was found, or a thing that could not be established.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// `agent.witness.fault`.
    pub id: String,
    /// How bad it is.
    pub severity: Severity,
    /// One line with the real ids and paths.
    pub summary: String,
    /// What proves it: files, byte offsets, rows.
    pub evidence: Vec<String>,
    /// What can be done, best first.
    pub remedies: Vec<Remedy>,
}

impl Finding {
    /// The finding of a check that answered with `verdict`; none where it passed. What could not be established is at
    /// most a warning under the check's own id.
    pub fn of(about: &About, verdict: Verdict) -> Option<Self> {
        let (summary, severity, lines, remedies) = match verdict {
            Verdict::Pass => return None,
            Verdict::Found(e) => {
                let summary = e.summary.unwrap_or_else(|| about.summary.to_owned());
                (summary, e.severity.unwrap_or(about.severity), e.lines, e.remedies)
            }
            Verdict::Unknown(reason) => {
                let summary = format!("not established whether {}: {reason}", about.summary);
                (summary, about.severity.min(Severity::Warning), vec![], vec![])
            }
        };
        Some(Self {
            id: about.id.to_owned(),
            severity,
            summary,
            evidence: lines,
            remedies,
        })
    }
}

/// Runs all checks on one subject and returns the findings, in the order of the list.
pub fn judge<S>(checks: &[Check<S>], subject: &S) -> Vec<Finding> {
    checks
        .iter()
        .filter_map(|check| Finding::of(&check.about, (check.run)(subject)))
        .collect()
}
