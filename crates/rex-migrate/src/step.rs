//! A step: how a store gets from one schema version to the next, and what must be equal before and after.

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::progress::Progress;

/// One upgrade step, a plain constant; the list of steps is the only registration.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Stable id, also the path of the file that holds it, e.g. `daemon.v91_split_messages`.
    pub id: &'static str,
    /// The schema version the step starts from.
    pub from: i64,
    /// The schema version the step leaves behind.
    pub to: i64,
    /// One line for a person.
    pub summary: &'static str,
    /// The work itself.
    pub how: How,
    /// Registers the SQL functions that the facts use; called before any of them is read. Most steps need none.
    pub functions: Option<fn(&Connection) -> rusqlite::Result<()>>,
    /// What must be equal before and after. A table that no fact names must be unchanged.
    pub conserves: &'static [Conserved],
}

/// How a step does its work.
#[derive(Clone, Copy, Debug)]
pub enum How {
    /// Plain SQL, run as it stands.
    Statements(&'static str),
    /// Code: a look that writes nothing and may refuse, then the change inside the engine's transaction.
    Code {
        /// Reads only; every reason to refuse, each naming its rows. Runs before the lock, and again under it if the
        /// file changed in between. The engine itself compares the schema with a fresh store's at `from` (what is
        /// missing or changed is refused, what is unknown is refused unless `keep_unknown`) and the foreign keys: a
        /// look only adds what the step alone knows, such as unknown objects that it could not carry.
        look: fn(&Connection, &Options) -> Result<Vec<Refusal>, StepError>,
        /// Changes the store; temporary tables are its own to make and drop. The engine sets `user_version` and renews
        /// the statistics of ANALYZE where there were any.
        apply: fn(&Work<'_>) -> Result<Outcome, StepError>,
    },
}

/// What a running step has at hand.
pub struct Work<'a> {
    /// Inside the engine's transaction, foreign keys off.
    pub connection: &'a Connection,
    /// What the caller allows.
    pub options: &'a Options,
    /// Told how far the work is.
    pub progress: &'a dyn Progress,
    /// What a row that the step makes says of the time.
    pub now: jiff::Timestamp,
}

/// What the caller allows.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Carry unknown tables, and unknown columns, indexes and triggers of tables that are not replaced.
    pub keep_unknown: bool,
}

/// A fact that the proof checks: the rows of `before`, read before the step, equal the rows of `after`, read behind it.
///
/// Every table that exists before or behind the step and that no fact names (as its `table`) must exist at both times
/// with equal rows: a table that comes or goes needs a fact under its own name, and so does one whose columns change.
/// `sqlite_sequence` counts as a table, the statistics of ANALYZE do not. A fact may be stated more than once per table.
#[derive(Clone, Copy, Debug)]
pub struct Conserved {
    /// The table the receipt files the fact under.
    pub table: &'static str,
    /// A query on the old schema.
    pub before: &'static str,
    /// A query on the new schema that must give the same rows, in any order.
    pub after: &'static str,
    /// What moved where, in one line.
    pub rule: &'static str,
}

/// Why an upgrade would be refused: the cause and the rows, the first twenty and a count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Refusal {
    /// One lower-case line.
    pub cause: String,
    /// The one thing to do next.
    pub hint: String,
}

impl Refusal {
    /// The first cause, and how many more there are.
    pub(crate) fn line(refusals: &[Self]) -> String {
        match refusals {
            [] => "refused".to_owned(),
            [only] => only.cause.clone(),
            [first, more @ ..] => format!("{} (and {} more)", first.cause, more.len()),
        }
    }
}

/// What a step reports: members that the receipt carries as they are (`attribution`, `first`, …).
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Keys of the receipt.
    pub report: Map<String, Value>,
}

/// A step that could not do its work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// SQLite refused a statement.
    #[error("{step}: cannot {doing}")]
    Sqlite {
        /// The step.
        step: &'static str,
        /// What it was doing, as an infinitive.
        doing: &'static str,
        /// SQLite's reason.
        #[source]
        source: rusqlite::Error,
    },
    /// An index of the old store has lost entries, or has too many.
    #[error("index {index} has {entries} entries for {rows} rows")]
    Index {
        /// The index.
        index: String,
        /// Its entries.
        entries: i64,
        /// The rows of its table.
        rows: usize,
    },
    /// A fresh store to compare with could not be made, or a schema not be read.
    #[error("cannot compare with a fresh store")]
    Store(#[source] rex_store::error::StoreError),
}
