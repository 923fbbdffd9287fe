//! The check of a whole machine: homes, problems first, and one line that sums it up.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::{Detail, Style, counted};
use crate::agents::Agent;
use crate::check::{Finding, Severity};
use crate::diagnosis::{Client, Home, SessionLine, StoreState, Survey, outcome_words};
use crate::forecast::{History, Outcome, Saves};

/// `rex-doctor.check/1`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Report {
    /// `rex-doctor.check/1`.
    pub schema: &'static str,
    /// One per agent and home.
    pub agents: Vec<Checked>,
    /// Over all of them.
    pub summary: Summary,
}

/// What was found in one home of one agent.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Checked {
    /// The agent's name.
    pub agent: &'static str,
    /// Its name in sentences.
    #[serde(skip)]
    title: &'static str,
    /// The effective home.
    pub home: Home,
    /// True where that home is there.
    pub exists: bool,
    /// The client's version.
    pub client: Client,
    /// Counts.
    pub summary: Summary,
    /// Findings about the home itself.
    pub findings: Vec<Finding>,
    /// Sessions with problems, worst first.
    pub problems: Vec<SessionLine>,
    /// False where a bound was reached: then there may be more sessions.
    pub complete: bool,
    /// All sessions that are no problem.
    #[serde(skip)]
    healthy: Vec<SessionLine>,
}

/// Counts of sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Summary {
    /// All that were found.
    pub sessions: usize,
    /// Those that the client refuses, hangs on, or silently replaces by a new one.
    pub cannot_be_resumed: usize,
    /// Those that go on without a part of the conversation, or do not keep the new turn.
    pub would_lose_messages: usize,
    /// Those of which it could not be established.
    pub unknown: usize,
    /// Those of which only head and tail were read.
    pub not_read_whole: usize,
}

impl Summary {
    fn add(&mut self, line: &SessionLine) {
        self.sessions += 1;
        match line.forecast.outcome {
            Outcome::Refuses | Outcome::Hangs | Outcome::StartsNew => self.cannot_be_resumed += 1,
            Outcome::Unknown => self.unknown += 1,
            Outcome::Resumes if line.loses() => self.would_lose_messages += 1,
            Outcome::Resumes => {}
        }
        self.not_read_whole += usize::from(!line.read_whole);
    }

    fn merge(&mut self, other: &Self) {
        self.sessions += other.sessions;
        self.cannot_be_resumed += other.cannot_be_resumed;
        self.would_lose_messages += other.would_lose_messages;
        self.unknown += other.unknown;
        self.not_read_whole += other.not_read_whole;
    }
}

impl SessionLine {
    /// True where the forecast or a finding of at least that severity says that something is wrong. What is left out
    /// on purpose, as by a compaction, comes with findings of severity `info` only and is no problem.
    pub fn is_problem(&self, least: Severity) -> bool {
        self.findings.iter().any(|finding| finding.severity >= least)
            || !matches!(self.forecast.outcome, Outcome::Resumes)
    }

    fn loses(&self) -> bool {
        let is_meant = self
            .findings
            .iter()
            .all(|finding| finding.severity == Severity::Info);
        let is_short = matches!(self.forecast.history, Some(History::Partial | History::None));
        matches!(self.forecast.saves, Some(Saves::Nothing | Saves::New)) || (is_short && !is_meant)
    }
}

impl Checked {
    /// Sorts a survey into problems and the rest.
    pub fn new(agent: &Agent, survey: Survey, least: Severity) -> Self {
        let mut summary = Summary::default();
        for line in &survey.sessions {
            summary.add(line);
        }
        let (mut problems, healthy): (Vec<_>, Vec<_>) = survey
            .sessions
            .into_iter()
            .partition(|line| line.is_problem(least));
        let rank = |line: &SessionLine| {
            let worst = line.findings.iter().map(|finding| finding.severity).max();
            (std::cmp::Reverse(worst), std::cmp::Reverse(line.last_activity))
        };
        problems.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.session.cmp(&b.session)));
        Self {
            agent: survey.agent,
            title: agent.title,
            home: survey.home,
            exists: survey.exists,
            client: survey.client,
            summary,
            findings: survey.findings,
            problems,
            complete: survey.complete,
            healthy,
        }
    }

    fn is_empty(&self) -> bool {
        !self.exists && self.home.others.is_empty() && self.findings.is_empty() && self.summary.sessions == 0
    }
}

impl Report {
    /// Sums the agents up.
    pub fn new(agents: Vec<Checked>) -> Self {
        let mut summary = Summary::default();
        for checked in &agents {
            summary.merge(&checked.summary);
        }
        Self {
            schema: "rex-doctor.check/1",
            agents,
            summary,
        }
    }

    /// True where anything of at least that severity was found.
    pub fn has_findings(&self, least: Severity) -> bool {
        let is_bad = |finding: &Finding| finding.severity >= least;
        self.agents.iter().any(|checked| {
            checked.findings.iter().any(is_bad)
                || checked
                    .problems
                    .iter()
                    .any(|line| line.findings.iter().any(is_bad))
        })
    }

    /// True where a store stayed busy.
    pub fn is_busy(&self) -> bool {
        let mut lines = self.agents.iter().flat_map(|checked| &checked.problems);
        lines.any(|line| line.store == StoreState::Busy)
    }
}

/// Prints the report for a person.
///
/// # Errors
/// What the output says.
pub fn print(report: &Report, detail: Detail, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if detail != Detail::Brief {
        for checked in report
            .agents
            .iter()
            .filter(|checked| detail == Detail::Full || !checked.is_empty())
        {
            home(checked, style, out)?;
        }
        let rows: Vec<_> = report
            .agents
            .iter()
            .flat_map(|checked| rows(checked, detail, style))
            .collect();
        if !rows.is_empty() {
            let head = ["agent", "session", "title", "forecast", "because"];
            out.write_all(style.table(&head, &rows).as_bytes())?;
        }
        if report.agents.iter().any(|checked| !checked.problems.is_empty()) {
            writeln!(
                out,
                "rex-doctor session ID says what to do, rex-doctor explain ID what a finding means."
            )?;
        }
    }
    writeln!(out, "{}", style.strong(&sum(report)))
}

fn home(checked: &Checked, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Home { path, from, others } = &checked.home;
    let there = if checked.exists { "" } else { ", not there" };
    write!(
        out,
        "{}  {} ({}{there})",
        style.strong(checked.title),
        style.printable(path),
        style.printable(from)
    )?;
    let version = &checked.client;
    writeln!(
        out,
        ", client {} ({})",
        style.printable(&version.version),
        version.from.words()
    )?;
    let more = if checked.complete {
        ""
    } else {
        " and more that were not looked at"
    };
    let problems = counted(checked.problems.len(), "problem");
    writeln!(
        out,
        "  {}{more}, {problems}",
        counted(checked.summary.sessions, "session")
    )?;
    for other in others {
        writeln!(out, "  also holds sessions: {}", style.printable(other))?;
    }
    Ok(())
}

fn rows(checked: &Checked, detail: Detail, style: &Style) -> Vec<(Option<Severity>, Vec<String>)> {
    let dash = || style.dash().to_owned();
    let of_home = checked
        .findings
        .iter()
        .filter(|finding| detail == Detail::Full || finding.severity > Severity::Info);
    let mut rows: Vec<_> = of_home
        .map(|finding| {
            let cells = vec![
                checked.agent.to_owned(),
                dash(),
                dash(),
                style.printable(&finding.summary),
                finding.id.clone(),
            ];
            (Some(finding.severity), cells)
        })
        .collect();
    let healthy = checked.healthy.iter().filter(|_| detail == Detail::Full);
    rows.extend(
        checked
            .problems
            .iter()
            .chain(healthy)
            .map(|line| row(line, style)),
    );
    rows
}

fn row(line: &SessionLine, style: &Style) -> (Option<Severity>, Vec<String>) {
    let ids: Vec<&str> = line
        .findings
        .iter()
        .filter(|finding| finding.severity > Severity::Info)
        .map(|finding| finding.id.as_str())
        .collect();
    let cells = vec![
        line.agent.to_owned(),
        style.printable(&line.session),
        style.shortened(line.title.as_deref().unwrap_or(style.dash()), 28),
        outcome_words(&line.forecast).to_owned(),
        if ids.is_empty() {
            style.dash().to_owned()
        } else {
            ids.join("\n")
        },
    ];
    (line.findings.iter().map(|finding| finding.severity).max(), cells)
}

fn sum(report: &Report) -> String {
    let Summary {
        sessions,
        cannot_be_resumed,
        would_lose_messages,
        unknown,
        not_read_whole,
    } = report.summary;
    let judged = match unknown {
        0 => String::new(),
        _ => format!(", {unknown} could not be judged"),
    };
    let read = match not_read_whole {
        0 => ", and all were read whole".to_owned(),
        1 => ", and 1 was not read whole (--deep reads all)".to_owned(),
        _ => format!(", and {not_read_whole} were not read whole (--deep reads all)"),
    };
    let all = counted(sessions, "conversation");
    format!(
        "Of {all}, {cannot_be_resumed} cannot be resumed, {would_lose_messages} would lose messages{judged}{read}."
    )
}
