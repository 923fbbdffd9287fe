//! A family of stores: the steps between its versions and the schema that each version should have.

use rex_store::error::StoreError;
use rex_store::identify::Kind;
use rex_store::{daemon, review};
use rusqlite::Connection;

use crate::step::Step;
use crate::steps;
use crate::survey::Survey;

/// The daemon store.
pub const DAEMON: Family<'static> = Family {
    name: "daemon store",
    steps: steps::ALL,
    fresh: fresh_daemon,
    told: Told::Number,
};

/// The review store.
pub const REVIEW: Family<'static> = Family {
    name: "review store",
    steps: &[],
    fresh: fresh_review,
    told: Told::Columns(&steps::review::SURVEY),
};

/// The family of a store that was identified; the daemon store's for what is none of ours, to be refused by it.
pub fn of(kind: Kind) -> Family<'static> {
    match kind {
        Kind::Review(_) => REVIEW,
        _ => DAEMON,
    }
}

fn fresh_review(connection: &Connection, version: i64) -> Result<bool, StoreError> {
    match version {
        7 => review::create_7(connection)?,
        13 => review::create_13(connection)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn fresh_daemon(connection: &Connection, version: i64) -> Result<bool, StoreError> {
    match version {
        90 => daemon::create_90(connection)?,
        91 => daemon::create_91(connection)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// What the engine can upgrade. Another application passes its own.
#[derive(Clone, Copy)]
pub struct Family<'a> {
    /// What a person calls such a store, e.g. `daemon store`.
    pub name: &'a str,
    /// The steps, oldest first; each begins where the one before it ended.
    pub steps: &'a [Step],
    /// Creates the tables of a fresh store at a version in an empty database; false when that version is unknown,
    /// and then its schema is not compared.
    pub fresh: fn(&Connection, i64) -> Result<bool, StoreError>,
    /// How a store tells its version.
    pub told: Told,
}

/// How the stores of a family tell their version.
#[derive(Clone, Copy)]
pub enum Told {
    /// By `user_version`: each step leads from one number to the next and is proven by itself.
    Number,
    /// By their columns: each step looks for itself whether it has something to do, and all are proven together.
    Columns(&'static Survey),
}

impl<'a> Family<'a> {
    /// The version the oldest step starts from.
    pub fn oldest(&self) -> Option<i64> {
        self.steps.first().map(|step| step.from)
    }

    /// The version the newest step leaves behind.
    pub fn newest(&self) -> Option<i64> {
        match self.told {
            Told::Number => self.steps.last().map(|step| step.to),
            Told::Columns(survey) => Some(survey.newest),
        }
    }

    /// The steps that take a store from `version` to the newest; `None` when no chain of steps does.
    pub fn pending(&self, version: i64) -> Option<&'a [Step]> {
        if Some(version) == self.newest() {
            return Some(&[]);
        }
        let first = self.steps.iter().position(|step| step.from == version)?;
        self.steps.get(first..)
    }
}
