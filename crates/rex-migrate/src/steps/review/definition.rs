//! Widens or narrows a CHECK in the definition of a table, where it stands.
//!
//! The application rebuilds the table for it, and loses triggers, breaks on views and on leftovers of itself, and deletes
//! every child if the foreign keys are on. A CHECK says nothing about how rows are stored, so SQLite's own way is enough:
//! the text is replaced in `sqlite_schema`. Rows, row numbers, indexes, triggers and views stay untouched.

use rusqlite::{Connection, ErrorCode};

use super::Doing as _;
use crate::step::StepError;

/// What a column must take, and what it must not.
pub(super) struct Check {
    /// The table.
    pub(super) table: &'static str,
    /// The column.
    pub(super) column: &'static str,
    /// Words that all stand in the CHECK that is meant: names, and strings in their quotes.
    pub(super) marks: &'static [&'static str],
    /// The words that it must take.
    pub(super) allowed: &'static [&'static str],
    /// The words that it must refuse.
    pub(super) refused: &'static [&'static str],
    /// Inserts a row with the word `?1`.
    pub(super) probe: &'static str,
}

const STEP: &str = "review.definition";

impl Check {
    /// Whether the table takes what it must. It is asked, in a copy without rows: a word that stands in a comment, or a
    /// condition that is spelled in another way, would deceive whoever reads the text.
    pub(super) fn holds(&self, connection: &Connection) -> Result<bool, StepError> {
        let sql = definition(connection, self.table)?;
        if self.place(&sql).is_none() {
            return Ok(true);
        }
        let doing = "ask a table what it takes";
        let copy = Connection::open_in_memory().doing(STEP, doing)?;
        copy.execute_batch("PRAGMA foreign_keys = OFF")
            .doing(STEP, doing)?;
        copy.execute_batch(&sql).doing(STEP, doing)?;
        let takes = |word: &&&str| {
            let is_refused = copy
                .execute(self.probe, [word])
                .is_err_and(|error| is_check(&error));
            // The next word must not stumble over this row.
            let _emptied = copy.execute(&format!("DELETE FROM {}", self.table), []);
            !is_refused
        };
        Ok(self.allowed.iter().all(|word| takes(&word)) && !self.refused.iter().any(|word| takes(&word)))
    }

    /// Where the CHECK that is meant has its parentheses.
    fn place(&self, sql: &str) -> Option<std::ops::Range<usize>> {
        let words = words(sql);
        checks(sql, &words).into_iter().find_map(|inside| {
            let group = words.get(inside)?;
            let is_meant = self
                .marks
                .iter()
                .all(|mark| group.iter().any(|word| word.says(sql, mark)));
            is_meant
                .then(|| Some(group.first()?.start..group.last()?.end))
                .flatten()
        })
    }

    fn text(&self) -> String {
        let list: Vec<String> = self.allowed.iter().map(|word| format!("'{word}'")).collect();
        format!("({} IN ({}))", self.column, list.join(","))
    }
}

/// Replaces the CHECK. The caller has made sure that every row satisfies the new one.
pub(super) fn replace(connection: &Connection, step: &'static str, check: &Check) -> Result<(), StepError> {
    let doing = "replace a CHECK";
    let mut sql = definition(connection, check.table)?;
    let Some(place) = check.place(&sql) else {
        return Ok(());
    };
    sql.replace_range(place, &check.text());
    let version: i64 = connection
        .query_row("PRAGMA schema_version", [], |row| row.get(0))
        .doing(step, doing)?;
    connection
        .pragma_update(None, "writable_schema", true)
        .doing(step, doing)?;
    let replaced = connection.execute(
        "UPDATE sqlite_schema SET sql = ?1 WHERE type = 'table' AND name = ?2",
        [sql.as_str(), check.table],
    );
    // Other connections must notice, and this one reads the schema anew.
    connection
        .execute_batch(&format!(
            "PRAGMA schema_version = {}; PRAGMA writable_schema = RESET;",
            version + 1
        ))
        .doing(step, doing)?;
    replaced.doing(step, doing).map(drop)
}

fn definition(connection: &Connection, table: &str) -> Result<String, StepError> {
    connection
        .query_row(
            "SELECT coalesce((SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1), '')",
            [table],
            |row| row.get(0),
        )
        .doing(STEP, "read the definition of a table")
}

fn is_check(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
        && error
            .sqlite_error()
            .is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_CHECK)
}

/// A word of SQL, by its place: a name, a string, a number or one sign.
#[derive(Clone, Copy, Debug)]
struct Word {
    start: usize,
    end: usize,
}

impl Word {
    fn text(self, sql: &str) -> &str {
        sql.get(self.start..self.end).unwrap_or_default()
    }

    /// Whether this is the word, whatever the quotes and the case of a name.
    fn says(self, sql: &str, mark: &str) -> bool {
        let text = self.text(sql);
        if text.starts_with('\'') {
            return text == mark;
        }
        text.trim_matches(['"', '`', '[', ']']).eq_ignore_ascii_case(mark)
    }
}

/// The words of a statement that SQLite has accepted; comments are none.
fn words(sql: &str) -> Vec<Word> {
    let bytes = sql.as_bytes();
    let at = |place: usize| bytes.get(place).copied().unwrap_or_default();
    let mut words = Vec::new();
    let mut place = 0;
    while place < bytes.len() {
        let start = place;
        place = match at(place) {
            byte if byte.is_ascii_whitespace() => {
                place += 1;
                continue;
            }
            b'-' if at(place + 1) == b'-' => {
                place = find(sql, place, "\n");
                continue;
            }
            b'/' if at(place + 1) == b'*' => {
                place = find(sql, place + 2, "*/");
                continue;
            }
            quote @ (b'\'' | b'"' | b'`') => closed(bytes, place + 1, quote),
            b'[' => find(sql, place, "]"),
            byte if is_name(byte) => {
                let length = bytes
                    .iter()
                    .skip(place)
                    .take_while(|byte| is_name(**byte))
                    .count();
                place + length
            }
            _ => place + 1,
        };
        words.push(Word { start, end: place });
    }
    words
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Behind the next occurrence, or the end.
fn find(sql: &str, from: usize, text: &str) -> usize {
    let rest = sql.get(from..).unwrap_or_default();
    rest.find(text).map_or(sql.len(), |at| from + at + text.len())
}

/// Behind the quote that closes; a doubled one does not.
fn closed(bytes: &[u8], mut place: usize, quote: u8) -> usize {
    while place < bytes.len() {
        if bytes.get(place) == Some(&quote) {
            if bytes.get(place + 1) != Some(&quote) {
                return place + 1;
            }
            place += 1;
        }
        place += 1;
    }
    place
}

/// The words of every CHECK, from its opening to its closing parenthesis.
fn checks(sql: &str, words: &[Word]) -> Vec<std::ops::Range<usize>> {
    let says = |at: usize, mark: &str| {
        words
            .get(at)
            .is_some_and(|word| word.text(sql).eq_ignore_ascii_case(mark))
    };
    let begins = (0..words.len()).filter(|at| says(*at, "CHECK") && says(at + 1, "("));
    begins.map(|at| at + 1..group_end(&says, at + 1)).collect()
}

/// Behind the parenthesis that closes the one at `open`.
fn group_end(says: &dyn Fn(usize, &str) -> bool, open: usize) -> usize {
    let (mut depth, mut at) = (0_usize, open);
    loop {
        if says(at, "(") {
            depth += 1;
        } else if says(at, ")") {
            depth -= 1;
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::STATUSES;
    use super::*;

    const REST: &str =
        "id TEXT PRIMARY KEY, document_id TEXT, kind TEXT, note TEXT, created_at TEXT, updated_at TEXT";

    /// The status column, and whether drafts are taken.
    const SPELLINGS: [(&str, bool); 9] = [
        (
            "status TEXT CHECK (status IN ('draft','note','open','resolved'))",
            true,
        ),
        ("status TEXT CHECK (status IN ('open','resolved'))", false),
        ("status TEXT check(\"status\" in ( 'open' , 'resolved' ))", false),
        (
            "status TEXT CHECK (status = 'open' OR status = 'resolved')",
            false,
        ),
        (
            "status TEXT /* once 'draft' */ CHECK (status IN ('open','resolved')) -- a 'draft'\n",
            false,
        ),
        ("[status] TEXT CHECK ((([status]) IN ('open','resolved')))", false),
        ("status TEXT", true),
        ("status TEXT CHECK (length(status) < 9)", true),
        (
            "status TEXT DEFAULT 'CHECK (status' CHECK (status IN ('open', 'it''s (resolved'))",
            false,
        ),
    ];

    #[test]
    fn a_table_is_asked_and_not_read() {
        for (column, expected) in SPELLINGS {
            let store = Connection::open_in_memory().unwrap();
            store
                .execute_batch(&format!("CREATE TABLE thread({REST}, {column})"))
                .unwrap();
            store
                .execute_batch("CREATE VIEW v AS SELECT id FROM thread; CREATE INDEX i ON thread(status);")
                .unwrap();
            assert_eq!(STATUSES.holds(&store).unwrap(), expected, "{column}");
            store.execute_batch("BEGIN").unwrap();
            replace(&store, "test", &STATUSES).unwrap();
            store.execute_batch("COMMIT").unwrap();
            assert!(STATUSES.holds(&store).unwrap(), "{column}");
            let taken = store.execute(STATUSES.probe, ["draft"]).unwrap();
            let lost = store.execute(STATUSES.probe, ["lost"]).is_err();
            assert_eq!((taken, lost), (1, column != "status TEXT" || lost), "{column}");
        }
    }
}
