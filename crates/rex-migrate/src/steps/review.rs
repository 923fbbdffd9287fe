//! The steps of the review store. Each looks for itself whether it has something to do, as the application's own do, so
//! that a store which was opened half becomes whole too. Docs: `docs/stores/review.md`.

use rex_store::review::{self, Shape};
use rusqlite::Connection;

use crate::look::Depth;
use crate::step::{How, Options, Outcome, Step, StepError, Work};
use crate::survey::{Survey, Surveyed};

mod anchors;
mod columns;
mod definition;
mod denied;
mod full_text;
mod gateways;
mod ink;
mod lanes;
mod original_gateway;
mod positions;
mod promise;
mod refuse;
mod route;
mod sessions;
mod tables;
mod triggers;

/// A step and the question whether it is needed.
struct Guarded {
    step: Step,
    is_needed: fn(&Seen<'_>) -> Result<bool, StepError>,
}

/// A store that is looked at.
struct Seen<'a> {
    connection: &'a Connection,
    shape: Shape,
    depth: Depth,
}

impl<'a> Seen<'a> {
    /// Looks at a store as deeply as an upgrade needs.
    fn of(connection: &'a Connection) -> Result<Self, StepError> {
        Ok(Self {
            connection,
            shape: Shape::read(connection).map_err(StepError::Store)?,
            depth: Depth::Full,
        })
    }
}

/// Every step, in the order in which they run. The lanes come before the columns: whether a flag or a status tells a note
/// shows in the columns that are not there yet. Sessions move before gateways are retired: a row number that becomes free
/// would be given to them.
const ALL: &[Guarded] = &[
    tables::STEP,
    lanes::STEP,
    columns::STEP,
    ink::STEP,
    anchors::STEP,
    positions::STEP,
    denied::STEP,
    original_gateway::STEP,
    sessions::STEP,
    gateways::STEP,
    route::STEP,
    full_text::STEP,
];

/// How the engine learns what it must know of a review store.
pub const SURVEY: Survey = Survey {
    newest: review::NEWEST as i64,
    look,
    promise: promise::of,
    lacking: promise::lacking,
};

/// Declares a step. `from` and `to` are the generations between which the application's own step came.
const fn step(
    id: &'static str,
    between: (i64, i64),
    summary: &'static str,
    apply: fn(&Work<'_>) -> Result<Outcome, StepError>,
) -> Step {
    Step {
        id,
        from: between.0,
        to: between.1,
        summary,
        how: How::Code {
            look: |_, _| Ok(Vec::new()),
            apply,
        },
        functions: None,
        conserves: &[],
    }
}

fn look(connection: &Connection, options: &Options, depth: Depth) -> Result<Surveyed, StepError> {
    let Some(generation) = review::generation(connection).map_err(StepError::Store)? else {
        return Ok(Surveyed::default());
    };
    let seen = Seen {
        depth,
        ..Seen::of(connection)?
    };
    let refusals = refuse::look(&seen, &generation, options)?;
    let mut steps = Vec::new();
    if refusals.is_empty() {
        for guarded in ALL {
            if (guarded.is_needed)(&seen)? {
                steps.push(guarded.step);
            }
        }
    }
    Ok(Surveyed {
        version: Some(i64::from(generation.last_opened_by)),
        steps,
        refusals,
    })
}

/// Says which step was doing what when SQLite refused.
trait Doing<T> {
    /// Wraps the error; `doing` is an infinitive.
    fn doing(self, step: &'static str, doing: &'static str) -> Result<T, StepError>;
}

impl<T> Doing<T> for rusqlite::Result<T> {
    fn doing(self, step: &'static str, doing: &'static str) -> Result<T, StepError> {
        self.map_err(|source| StepError::Sqlite { step, doing, source })
    }
}

/// How many of a list a receipt names.
const NAMED: usize = 20;

/// A count and the first few of what it counts.
#[derive(Default)]
struct Tally {
    count: usize,
    first: Vec<String>,
}

impl Tally {
    fn add(&mut self, name: String) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(name);
        }
    }

    fn of(connection: &Connection, step: &'static str, sql: &str) -> Result<Self, StepError> {
        let doing = "count the rows";
        let mut tally = Self::default();
        let mut statement = connection.prepare(sql).doing(step, doing)?;
        let mut rows = statement.query([]).doing(step, doing)?;
        while let Some(row) = rows.next().doing(step, doing)? {
            tally.add(row.get(0).doing(step, doing)?);
        }
        Ok(tally)
    }
}

/// A step's part of the receipt, under its own name; classes without a member are left out.
fn outcome(name: &str, tallies: Vec<(&str, Tally)>) -> Outcome {
    let classes: serde_json::Map<_, _> = tallies
        .into_iter()
        .filter(|(_, tally)| tally.count > 0)
        .map(|(class, tally)| {
            let value = serde_json::json!({"count": tally.count, "first": tally.first});
            (class.to_owned(), value)
        })
        .collect();
    let mut report = serde_json::Map::new();
    if !classes.is_empty() {
        report.insert(name.to_owned(), serde_json::Value::Object(classes));
    }
    Outcome { report }
}

/// Asks a question that is answered by whether there is a row.
fn exists(connection: &Connection, step: &'static str, sql: &str) -> Result<bool, StepError> {
    connection
        .query_row(&format!("SELECT EXISTS ({sql})"), [], |row| row.get(0))
        .doing(step, "look whether there is something to do")
}
