//! The list of sessions.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::{Detail, Style, counted};
use crate::check::Severity;
use crate::diagnosis::{SessionLine, outcome_words};

/// `rex-doctor.sessions/1`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sessions {
    /// `rex-doctor.sessions/1`.
    pub schema: &'static str,
    /// The sessions, the newest first.
    pub sessions: Vec<SessionLine>,
    /// False where a bound was reached: then there may be more.
    pub complete: bool,
}

impl Sessions {
    /// The list of these sessions.
    pub fn new(sessions: Vec<SessionLine>, complete: bool) -> Self {
        Self {
            schema: "rex-doctor.sessions/1",
            sessions,
            complete,
        }
    }
}

/// Prints the list for a person.
///
/// # Errors
/// What the output says.
pub fn print(list: &Sessions, detail: Detail, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if detail != Detail::Brief && !list.sessions.is_empty() {
        let head = [
            "agent",
            "session",
            "title",
            "folder",
            "last activity",
            "store",
            "log",
            "forecast",
        ];
        let rows: Vec<_> = list.sessions.iter().map(|line| row(line, style)).collect();
        out.write_all(style.table(&head, &rows).as_bytes())?;
    }
    let unread = list.sessions.iter().filter(|line| !line.read_whole).count();
    write!(out, "{}", counted(list.sessions.len(), "session"))?;
    if unread > 0 {
        write!(out, ", {unread} of them not read whole (--deep reads them)")?;
    }
    writeln!(
        out,
        "{}",
        if list.complete {
            "."
        } else {
            "; there are more than were listed."
        }
    )
}

fn row(line: &SessionLine, style: &Style) -> (Option<Severity>, Vec<String>) {
    let time = line
        .last_activity
        .map(|time| time.strftime("%Y-%m-%d %H:%M").to_string());
    let cells = vec![
        line.agent.to_owned(),
        style.printable(&line.session),
        style.shortened(line.title.as_deref().unwrap_or(style.dash()), 28),
        style.printable(line.folder.as_deref().unwrap_or(style.dash())),
        time.unwrap_or_else(|| style.dash().to_owned()),
        line.store.word().to_owned(),
        line.log.word().to_owned(),
        outcome_words(&line.forecast).to_owned(),
    ];
    (line.findings.iter().map(|finding| finding.severity).max(), cells)
}
