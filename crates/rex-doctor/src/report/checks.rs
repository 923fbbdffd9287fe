//! Every id that can be emitted.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::Style;
use crate::agents::RETIRED;
use crate::check::{About, Severity};

/// `rex-doctor.checks/1`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Checks {
    /// `rex-doctor.checks/1`.
    pub schema: &'static str,
    /// All checks, by agent and in the order in which they run.
    pub checks: Vec<Listed>,
    /// Ids that are emitted no more and are never used again.
    pub retired: &'static [&'static str],
}

/// One check.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listed {
    /// Its id.
    pub id: &'static str,
    /// The severity of its findings, unless one says otherwise.
    pub severity: Severity,
    /// The fault in one line.
    pub summary: &'static str,
}

impl Checks {
    /// Lists these checks.
    pub fn new(abouts: &[About]) -> Self {
        let listed = |about: &About| Listed {
            id: about.id,
            severity: about.severity,
            summary: about.summary,
        };
        Self {
            schema: "rex-doctor.checks/1",
            checks: abouts.iter().map(listed).collect(),
            retired: RETIRED,
        }
    }
}

/// Prints them for a person.
///
/// # Errors
/// What the output says.
pub fn print(list: &Checks, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let row = |check: &Listed| {
        let cells = [check.id, check.severity.word(), check.summary].map(str::to_owned);
        (Some(check.severity), cells.to_vec())
    };
    let rows: Vec<_> = list.checks.iter().map(row).collect();
    out.write_all(style.table(&["id", "severity", "fault"], &rows).as_bytes())?;
    writeln!(out, "rex-doctor explain ID tells more.")
}
