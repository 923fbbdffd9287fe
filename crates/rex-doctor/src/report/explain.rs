//! What one finding means.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::Style;
use crate::check::{About, Severity};

/// The headings of every page, in order.
pub const HEADINGS: [&str; 5] = [
    "What it means",
    "How it is recognised",
    "What still works",
    "What to do",
    "Reports",
];

/// `rex-doctor.explain/1`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Explanation {
    /// `rex-doctor.explain/1`.
    pub schema: &'static str,
    /// The finding's id.
    pub id: &'static str,
    /// The severity of its findings, unless one says otherwise.
    pub severity: Severity,
    /// The fault in one line.
    pub summary: &'static str,
    /// The page, in Markdown: five headings, each with its text.
    pub page: &'static str,
}

impl Explanation {
    /// The explanation of a check.
    pub fn new(about: &About) -> Self {
        Self {
            schema: "rex-doctor.explain/1",
            id: about.id,
            severity: about.severity,
            summary: about.summary,
            page: about.page.trim(),
        }
    }
}

/// Prints it for a person.
///
/// # Errors
/// What the output says.
pub fn print(explanation: &Explanation, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Explanation {
        id,
        severity,
        summary,
        page,
        ..
    } = explanation;
    writeln!(
        out,
        "{} ({})\n{summary}",
        style.strong(id),
        style.severe(*severity, severity.word())
    )?;
    for line in page.lines() {
        match line.strip_prefix("## ") {
            Some(heading) => writeln!(out, "{}", style.strong(heading))?,
            None => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

/// The page of a check in `docs/checks/`.
pub fn page(about: &About) -> String {
    let source = about.source.replace('\\', "/");
    let source = source
        .split_once("crates/rex-doctor/")
        .map_or(source.as_str(), |(_, inner)| inner);
    format!(
        "# {}\n\n*{}*: {}.\n\n{}\n\nFound by [{source}](../../crates/rex-doctor/{source}).\n",
        about.id,
        about.severity.word(),
        about.summary,
        about.page.trim()
    )
}
