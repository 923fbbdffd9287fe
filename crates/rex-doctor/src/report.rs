//! Prints what was found: one answer per file, for people and as JSON. Nothing that a log or a title holds reaches the
//! terminal as it is: control characters are shown as escapes, credentials are left out.

use std::fmt::Write as _;

use tabled::builder::Builder;
use tabled::settings::object::{Columns, Rows};
use tabled::settings::{Color, Modify, Style as Frame, Width};

use crate::check::Severity;
use crate::cli::Outside;
use crate::redact::redact;

pub mod candidates;
pub mod check;
pub mod checks;
pub mod explain;
mod fit;
pub mod json;
pub mod quote;
pub mod session;
pub mod sessions;

/// How text is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Whether colours are used.
    pub colour: bool,
    /// Whether only ASCII is used.
    pub ascii: bool,
    /// How many columns there are; none where nobody looks.
    pub columns: Option<usize>,
}

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Only what sums it up.
    Brief,
    /// The problems and what they belong to.
    Usual,
    /// Also what is healthy, and where was looked.
    Full,
}

impl Style {
    /// Colour only at a terminal that wants it: neither `NO_COLOR` nor `TERM=dumb`.
    pub fn new(outside: &Outside<'_>, ascii: bool) -> Self {
        let variable = |name: &str| outside.environment.get(std::ffi::OsStr::new(name));
        let is_unwanted = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
        let is_dumb = variable("TERM").is_some_and(|value| value == "dumb");
        let columns = variable("COLUMNS").and_then(|value| value.to_str()?.parse().ok());
        Self {
            colour: outside.is_terminal && !is_unwanted && !is_dumb,
            ascii,
            columns: columns.or_else(|| outside.is_terminal.then(terminal_columns).flatten()),
        }
    }

    /// The text in the colour of a severity.
    pub fn severe(&self, severity: Severity, text: &str) -> String {
        let code = match severity {
            Severity::Error => "31",
            Severity::Warning => "33",
            Severity::Info => "36",
        };
        self.escape(code, text)
    }

    /// The text in bold.
    pub fn strong(&self, text: &str) -> String {
        self.escape("1", text)
    }

    fn escape(&self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// What stands between two things of a line.
    pub fn dash(&self) -> &'static str {
        if self.ascii { "-" } else { "—" }
    }

    /// Text from a log, a title or a path, safe to print.
    pub fn printable(&self, text: &str) -> String {
        let mut safe = String::with_capacity(text.len());
        for c in redact(text).chars() {
            let is_hidden = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
            if c.is_control() || is_hidden || (self.ascii && !c.is_ascii()) {
                write!(safe, "{}", c.escape_default()).expect("a String takes every write");
            } else {
                safe.push(c);
            }
        }
        safe
    }

    /// The same, cut to so many characters.
    pub fn shortened(&self, text: &str, most: usize) -> String {
        let safe = self.printable(text);
        if safe.chars().count() <= most {
            return safe;
        }
        let dots = if self.ascii { "..." } else { "…" };
        let kept: String = safe.chars().take(most - dots.chars().count()).collect();
        kept.trim_end().to_owned() + dots
    }

    /// A table under its head; each row with its severity's colour, if it has one. Cells must be printable.
    pub fn table(&self, head: &[&str], rows: &[(Option<Severity>, Vec<String>)]) -> String {
        let head = head.iter().map(|&word| word.to_owned()).collect();
        let cells: Vec<Vec<String>> = std::iter::once(head)
            .chain(rows.iter().map(|(_, cells)| cells.clone()))
            .collect();
        let widths = self.columns.map(|columns| fit::wrapped_widths(&cells, columns));
        let mut table = Builder::from(cells).build();
        if self.ascii {
            table.with(Frame::ascii_rounded());
        } else {
            table.with(Frame::rounded());
        }
        for (column, width) in widths.into_iter().flatten().enumerate() {
            if let Some(width) = width {
                table.with(Modify::new(Columns::single(column)).with(Width::wrap(width).keep_words()));
            }
        }
        for (at, (severity, _)) in rows.iter().enumerate().filter(|_| self.colour) {
            match severity {
                Some(Severity::Error) => table.with(Modify::new(Rows::single(at + 1)).with(Color::FG_RED)),
                Some(Severity::Warning) => {
                    table.with(Modify::new(Rows::single(at + 1)).with(Color::FG_YELLOW))
                }
                Some(Severity::Info) | None => &mut table,
            };
        }
        format!("{table}\n")
    }
}

fn terminal_columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// A count with its word: `1 conversation`, `2 conversations`.
pub(crate) fn counted(count: usize, word: &str) -> String {
    if count == 1 {
        format!("1 {word}")
    } else {
        format!("{count} {word}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_title_moves_the_cursor() {
        let style = Style {
            colour: true,
            ascii: false,
            columns: None,
        };
        for (text, expected) in [
            ("\u{1b}[2Jgone\r\n", "\\u{1b}[2Jgone\\r\\n"),
            ("a\u{202e}b\u{9b}c", "a\\u{202e}b\\u{9b}c"),
            ("日本語 über", "日本語 über"),
        ] {
            assert_eq!(style.printable(text), expected);
        }
        let ascii = Style { ascii: true, ..style };
        assert_eq!(ascii.printable("über"), "\\u{fc}ber");
        assert_eq!(style.shortened("0123456789", 5), "0123…");
    }

    #[test]
    fn wide_characters_are_measured() {
        let style = Style {
            colour: false,
            ascii: true,
            columns: None,
        };
        let table = style.table(
            &["a"],
            &[(None, vec!["日本".to_owned()]), (None, vec!["abcd".to_owned()])],
        );
        let lines: Vec<&str> = table.lines().collect();
        assert!(
            lines.contains(&"| 日本 |") && lines.contains(&"| abcd |"),
            "{table}"
        );
    }
}
