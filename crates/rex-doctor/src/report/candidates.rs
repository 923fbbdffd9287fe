//! The sessions that an argument may mean, or the nearest to one that nobody has.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::Style;
use crate::diagnosis::Candidate;
use crate::exit_status::ExitStatus;

/// `rex-doctor.candidates/1`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Candidates {
    /// `rex-doctor.candidates/1`.
    pub schema: &'static str,
    /// What was asked for.
    pub argument: String,
    /// The sessions.
    pub candidates: Vec<Candidate>,
}

impl Candidates {
    /// The candidates for `argument`.
    pub fn new(argument: &str, candidates: Vec<Candidate>) -> Self {
        Self {
            schema: "rex-doctor.candidates/1",
            argument: argument.to_owned(),
            candidates,
        }
    }
}

/// Prints them for a person.
///
/// # Errors
/// What the output says.
pub fn print(answer: &Candidates, status: ExitStatus, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let argument = style.printable(&answer.argument);
    match (status, answer.candidates.is_empty()) {
        (ExitStatus::NoTrace, true) => writeln!(out, "No agent has any trace of {argument}.")?,
        (ExitStatus::NoTrace, false) => {
            writeln!(
                out,
                "No agent has any trace of {argument}. The nearest sessions are:"
            )?;
        }
        _ => writeln!(
            out,
            "{argument} may mean several sessions; name the agent or give the whole id:"
        )?,
    }
    for candidate in &answer.candidates {
        let title = candidate
            .title
            .as_deref()
            .map(|title| format!("  {}", style.shortened(title, 48)));
        let time = candidate
            .last_activity
            .map(|time| format!("  {}", time.strftime("%Y-%m-%d %H:%M")));
        writeln!(
            out,
            "  rex-doctor session {} --agent {}{}{}",
            super::quote::command(std::slice::from_ref(&candidate.session)),
            candidate.agent,
            time.unwrap_or_default(),
            title.unwrap_or_default()
        )?;
    }
    Ok(())
}
