//! What must hold in a review store, as named checks: each lists the rows that offend it and judges nothing further.

mod rules;

use std::collections::BTreeMap;

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use unicode_normalization::UnicodeNormalization as _;

pub use self::rules::ALL;

use super::shape::Shape;
use crate::error::{Doing, StoreError};

/// One thing that must hold.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its name, never reused.
    pub name: &'static str,
    /// What an offending row is.
    pub about: &'static str,
    /// Tables and columns without which it has nothing to say.
    pub needs: &'static [&'static str],
    /// Whether it reads every page of the file.
    pub reads_all: bool,
    how: How,
}

#[derive(Clone, Copy, Debug)]
enum How {
    /// A query that gives the offending rows.
    Sql(&'static str),
    /// Code, where SQL does not reach.
    Code(fn(&Connection) -> Result<Vec<Offence>, StoreError>),
}

/// One offending row: what names it, in the order that [`Check::about`] says. NULL is the word `NULL`.
pub type Offence = Vec<String>;

const fn check(
    name: &'static str,
    about: &'static str,
    needs: &'static [&'static str],
    sql: &'static str,
) -> Check {
    Check {
        name,
        about,
        needs,
        reads_all: false,
        how: How::Sql(sql),
    }
}

impl Check {
    /// The offending rows; none when the store does not have what the check is about.
    ///
    /// # Errors
    /// [`StoreError::Sqlite`].
    pub fn run(&self, connection: &Connection, shape: &Shape) -> Result<Vec<Offence>, StoreError> {
        if !self.needs.iter().all(|name| shape.has(name)) {
            return Ok(Vec::new());
        }
        match self.how {
            How::Sql(sql) => offences(connection, sql),
            How::Code(run) => run(connection),
        }
    }
}

/// Finds a check by its name.
pub fn named(name: &str) -> Option<&'static Check> {
    ALL.iter().find(|check| check.name == name)
}

fn offences(connection: &Connection, sql: &str) -> Result<Vec<Offence>, StoreError> {
    let doing = "run a check";
    let mut statement = connection.prepare(sql).doing(doing)?;
    let columns = statement.column_count();
    let mut rows = statement.query([]).doing(doing)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().doing(doing)? {
        let values = (0..columns).map(|column| row.get_ref(column).map(shown));
        found.push(values.collect::<rusqlite::Result<_>>().doing(doing)?);
    }
    Ok(found)
}

fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(integer) => integer.to_string(),
        ValueRef::Real(real) => real.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn documents_twice(connection: &Connection) -> Result<Vec<Offence>, StoreError> {
    let documents = offences(
        connection,
        "SELECT value, id FROM document WHERE kind = 'file' ORDER BY id",
    )?;
    let mut by_folded: BTreeMap<String, Offence> = BTreeMap::new();
    for document in documents {
        let mut columns = document.into_iter();
        if let (Some(path), Some(id)) = (columns.next(), columns.next()) {
            let folded: String = path.nfc().collect::<String>().to_lowercase();
            by_folded.entry(folded).or_default().push(id);
        }
    }
    Ok(by_folded.into_values().filter(|ids| ids.len() > 1).collect())
}
