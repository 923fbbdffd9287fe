//! From 90 to 91: every submission becomes a message with its own number, and `turns` holds runs only.

use rusqlite::Connection;

use crate::step::{How, Options, Outcome, Refusal, Step, StepError, Work};

mod adopt;
pub(crate) mod attribute;
mod carry;
mod chain;
mod clock;
mod conserve;
mod copy;
mod events;
mod few;
mod handles;
mod json;
mod nodes;
pub(crate) mod old;
mod payload;
mod quotes;
mod refuse;
pub(crate) mod report;
pub(crate) mod respell;
pub(crate) mod trail;
mod words;

#[cfg(test)]
mod tests;

/// Splits messages from turns.
pub const STEP: Step = Step {
    id: ID,
    from: 90,
    to: 91,
    summary: "every submission becomes a message with its own number; turns holds runs only",
    how: How::Code { look, apply },
    functions: Some(conserve::register),
    conserves: conserve::FACTS,
};

const ID: &str = "daemon.v91_split_messages";

/// Says what was being done when SQLite refused.
pub(crate) trait Doing<T> {
    /// Wraps the error; `doing` is an infinitive.
    fn doing(self, doing: &'static str) -> Result<T, StepError>;
}

impl<T> Doing<T> for rusqlite::Result<T> {
    fn doing(self, doing: &'static str) -> Result<T, StepError> {
        self.map_err(|source| StepError::Sqlite {
            step: ID,
            doing,
            source,
        })
    }
}

fn look(connection: &Connection, options: &Options) -> Result<Vec<Refusal>, StepError> {
    refuse::look(connection, options.keep_unknown)
}

fn apply(work: &Work<'_>) -> Result<Outcome, StepError> {
    copy::without_triggers(work.connection, || split(work))
}

/// The old tables answer every question before the first of them changes.
fn split(work: &Work<'_>) -> Result<Outcome, StepError> {
    let connection = work.connection;
    let begin = |phase| work.progress.begin(phase, 0, "");
    begin("attribution");
    let attribution = attribute::Attribution::run(connection, &old::AT_90, None)?;
    let highest_reference = respell::keep(connection)?;
    begin("messages and turns");
    let old_rows = copy::split(connection, highest_reference)?;
    begin("events");
    events::refile(connection)?;
    begin("indexes");
    copy::index(connection)?;
    let report = report::collect(connection, old_rows)?;
    drop(attribution);
    copy::drop_old(connection)?;
    respell::forget(connection)?;
    attribute::forget(connection)?;
    Ok(Outcome { report })
}
