//! The whole diagnosis of one session, for a person.

use std::io::{self, Write};

use super::{Style, quote};
use crate::agents::Agent;
use crate::check::{Finding, Severity};
use crate::diagnosis::{Diagnosis, LogState, Messages, StoreState, Verdict, outcome_words};
use crate::forecast::{Forecast, History, Saves};

/// Prints it; with `is_full` also what is healthy or only worth knowing.
///
/// # Errors
/// What the output says.
pub fn print(
    agent: &Agent,
    diagnosis: &Diagnosis,
    is_full: bool,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    heading(agent, diagnosis, style, out)?;
    witnesses(diagnosis, style, out)?;
    quadrants(agent, diagnosis, style, out)?;
    let rows: Vec<_> = diagnosis
        .forecasts
        .iter()
        .map(|forecast| forecast_row(forecast, style))
        .collect();
    writeln!(out)?;
    out.write_all(
        style
            .table(&["asked by", "forecast", "history", "saves to"], &rows)
            .as_bytes(),
    )?;
    messages(&diagnosis.forecasts, style, out)?;
    for finding in diagnosis
        .findings
        .iter()
        .filter(|f| is_full || f.severity > Severity::Info)
    {
        print_finding(finding, style, out)?;
    }
    let quiet = diagnosis
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Info)
        .count();
    if quiet > 0 && !is_full {
        writeln!(
            out,
            "\n{} worth knowing; -v shows it.",
            super::counted(quiet, "thing")
        )?;
    }
    verdict(diagnosis, style, out)
}

/// The last line. Its command is not made printable, for it must be pasted exactly.
fn verdict(diagnosis: &Diagnosis, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let verdict = diagnosis.sum();
    let mut line = style.printable(&verdict.words);
    if let Some(command) = verdict.command() {
        line.extend([Verdict::PASTE, &command]);
    }
    writeln!(out, "\n{}", style.strong(&line))
}

/// Who was asked: the session, the client and the home.
fn heading(agent: &Agent, diagnosis: &Diagnosis, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let safe = |text: &str| style.printable(text);
    writeln!(
        out,
        "{} {}",
        style.strong(agent.title),
        style.strong(&safe(&diagnosis.argument))
    )?;
    if let Some(session) = diagnosis
        .session
        .as_ref()
        .filter(|session| **session != diagnosis.argument)
    {
        writeln!(out, "  session  {}", safe(session))?;
    }
    let client = &diagnosis.client;
    writeln!(
        out,
        "  client   {} ({})",
        safe(&client.version),
        client.from.words()
    )?;
    writeln!(
        out,
        "  home     {} ({})",
        safe(&diagnosis.home.path),
        safe(&diagnosis.home.from)
    )?;
    for other in &diagnosis.home.others {
        writeln!(out, "           also holds sessions: {}", safe(other))?;
    }
    Ok(())
}

fn witnesses(diagnosis: &Diagnosis, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let safe = |text: &Option<String>| {
        text.as_deref()
            .map(|text| format!("  {}", style.printable(text)))
            .unwrap_or_default()
    };
    let store = &diagnosis.store;
    writeln!(
        out,
        "\n  {}    {}{}",
        style.strong("store"),
        store.state.word(),
        safe(&store.path)
    )?;
    if let Some(detail) = &store.detail {
        writeln!(out, "           {}", style.printable(detail))?;
    }
    let log = &diagnosis.log;
    writeln!(
        out,
        "  {}      {}{}",
        style.strong("log"),
        log.state.word(),
        safe(&log.path)
    )?;
    let bytes = log.bytes.map(|bytes| format!("{bytes} bytes"));
    let messages = log.messages.map(|messages| counts(&messages));
    let counted: Vec<String> = bytes.into_iter().chain(messages).collect();
    if !counted.is_empty() {
        writeln!(out, "           {}", counted.join(", "))?;
    }
    Ok(())
}

fn counts(messages: &Messages) -> String {
    let count = |count: Option<u64>| count.map_or_else(|| "?".to_owned(), |count| count.to_string());
    format!(
        "messages: {} recorded, {} reachable, {} loaded",
        count(messages.recorded),
        count(messages.reachable),
        count(messages.loaded)
    )
}

/// The table of the four states with this session's marked, and what it means for this agent.
fn quadrants(agent: &Agent, diagnosis: &Diagnosis, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let has_row = match diagnosis.store.state {
        StoreState::Has | StoreState::Hidden | StoreState::Moved => Some(true),
        StoreState::None => Some(false),
        StoreState::Unreadable | StoreState::Busy | StoreState::NotApplicable | StoreState::Unknown => None,
    };
    let has_log = match diagnosis.log.state {
        LogState::Present
        | LogState::Elsewhere
        | LogState::Damaged
        | LogState::Archived
        | LogState::Unreadable => Some(true),
        LogState::Missing => Some(false),
        LogState::NotApplicable | LogState::Unknown => None,
    };
    let mark = |row: bool, log: bool| {
        if (has_row, has_log) == (Some(row), Some(log)) {
            "(here)"
        } else {
            "."
        }
    };
    writeln!(out, "\n               log is there   log is missing")?;
    for (word, row) in [("store has it ", true), ("store has not", false)] {
        writeln!(out, "  {word}{:^14} {:^14}", mark(row, true), mark(row, false))?;
    }
    let meaning = match (has_row, has_log) {
        _ if diagnosis.store.state == StoreState::Hidden => "the store hides it, whatever the log holds",
        // The client looks where the record points, and there the log is missing.
        _ if diagnosis.store.state == StoreState::Moved => agent.quadrants.has_missing,
        (Some(true), Some(true)) => agent.quadrants.has_present,
        (Some(true), Some(false)) => agent.quadrants.has_missing,
        (Some(false), Some(true)) => agent.quadrants.none_present,
        (Some(false), Some(false)) => agent.quadrants.none_missing,
        _ => "One of the two could not be established.",
    };
    writeln!(out, "  For {}: {}", agent.title, style.printable(meaning))
}

fn forecast_row(forecast: &Forecast, style: &Style) -> (Option<Severity>, Vec<String>) {
    let dash = style.dash().to_owned();
    let history = match forecast.history {
        Some(History::Full) => "full",
        Some(History::Partial) => "a part",
        Some(History::None) => "none",
        None => &dash,
    };
    let saves = match forecast.saves {
        Some(Saves::Same) => "the same session",
        Some(Saves::New) => "a new session",
        Some(Saves::Nothing) => "nowhere",
        None => &dash,
    };
    let words = [&forecast.surface, outcome_words(forecast), history, saves].map(str::to_owned);
    let severity = (!forecast.is_whole()).then_some(Severity::Error);
    (severity, words.to_vec())
}

/// The client's own words, each on a line of its own and never broken: they are what a person searches for.
fn messages(forecasts: &[Forecast], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let width = forecasts
        .iter()
        .map(|forecast| forecast.surface.len())
        .max()
        .unwrap_or_default();
    for forecast in forecasts {
        if let Some(message) = &forecast.message {
            writeln!(
                out,
                "  {:width$}  says  {}",
                forecast.surface,
                style.printable(message)
            )?;
        }
    }
    Ok(())
}

fn print_finding(finding: &Finding, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let severity = style.severe(finding.severity, finding.severity.word());
    writeln!(
        out,
        "\n{severity} {}: {}",
        style.strong(&finding.id),
        style.printable(&finding.summary)
    )?;
    for line in &finding.evidence {
        writeln!(out, "  {}", style.printable(line))?;
    }
    for remedy in &finding.remedies {
        let tested = if remedy.tested { "tested" } else { "not tested" };
        writeln!(out, "  To do ({tested}): {}", style.printable(&remedy.text))?;
        if let Some(command) = &remedy.command {
            // Not made printable: what is pasted must be exact, and quoting leaves no control character in it.
            writeln!(out, "    {}", quote::command(command))?;
        }
    }
    Ok(())
}
