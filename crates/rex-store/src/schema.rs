//! Schemas in a normal form, and how two of them differ.

use std::collections::BTreeMap;
use std::fmt;

use rusqlite::Connection;

use crate::error::{Doing, StoreError};

/// What kind of thing a schema holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectKind {
    /// A table, virtual ones included.
    Table,
    /// A column of a table.
    Column,
    /// A key, uniqueness, CHECK or foreign key of a table; its name is its normalised text.
    Constraint,
    /// An index.
    Index,
    /// A trigger.
    Trigger,
    /// A view.
    View,
}

/// One thing of a schema.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// Its name.
    pub name: String,
    /// The table it belongs to; of a table its own name.
    pub table: String,
}

/// One way in which a schema differs from the expected one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// Expected, and not there.
    Missing(Object),
    /// There, and not expected.
    Extra(Object),
    /// There, but another.
    Changed {
        /// What differs.
        object: Object,
        /// Its normalised text as found.
        found: String,
        /// Its normalised text as expected.
        expected: String,
    },
}

/// A schema in a normal form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    objects: BTreeMap<Object, String>,
}

impl Schema {
    /// Reads the schema of a database. `sqlite_%` is left out.
    ///
    /// # Errors
    /// [`StoreError::Sqlite`].
    pub fn read(connection: &Connection) -> Result<Self, StoreError> {
        let sql = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
        let mut statement = connection.prepare(sql).doing("read the schema")?;
        let mut rows = statement.query([]).doing("read the schema")?;
        let mut objects = BTreeMap::new();
        while let Some(row) = rows.next().doing("read the schema")? {
            let kind: String = row.get(0).doing("read the schema")?;
            let object = Object {
                kind: match kind.as_str() {
                    "index" => ObjectKind::Index,
                    "trigger" => ObjectKind::Trigger,
                    "view" => ObjectKind::View,
                    _ => ObjectKind::Table,
                },
                name: row.get(1).doing("read the schema")?,
                table: row.get(2).doing("read the schema")?,
            };
            objects.insert(object, row.get(3).doing("read the schema")?);
        }
        Ok(Self { objects })
    }

    /// Lists how this schema, the one found, differs from the expected one; nothing if they are equal.
    pub fn differences(&self, expected: &Self) -> Vec<Difference> {
        let mut differences = Vec::new();
        for (object, text) in &self.objects {
            match expected.objects.get(object) {
                None => differences.push(Difference::Extra(object.clone())),
                Some(other) if other != text => differences.push(Difference::Changed {
                    object: object.clone(),
                    found: text.clone(),
                    expected: other.clone(),
                }),
                Some(_) => {}
            }
        }
        let missing = expected
            .objects
            .keys()
            .filter(|object| !self.objects.contains_key(object));
        differences.extend(missing.cloned().map(Difference::Missing));
        differences
    }
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Table => "table",
            Self::Column => "column",
            Self::Constraint => "constraint",
            Self::Index => "index",
            Self::Trigger => "trigger",
            Self::View => "view",
        })
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ObjectKind::Table | ObjectKind::View => write!(f, "{} {}", self.kind, self.name),
            ObjectKind::Column => write!(f, "column {}.{}", self.table, self.name),
            _ => write!(f, "{} {} of {}", self.kind, self.name, self.table),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(object) => write!(f, "{object} is missing"),
            Self::Extra(object) => write!(f, "{object} is unknown"),
            Self::Changed {
                object,
                found,
                expected,
            } => write!(f, "{object} is {found}, not {expected}"),
        }
    }
}
