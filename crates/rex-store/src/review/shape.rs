//! Which tables and columns a store has: rows of every generation are read through it.

use std::collections::BTreeMap;

use rusqlite::{Connection, Params};

use super::row::Record;
use crate::error::{Doing, StoreError};

/// The tables of a store with their columns in order, and its other objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    tables: BTreeMap<String, Vec<String>>,
    others: BTreeMap<String, String>,
}

impl Shape {
    /// Reads the shape of an open store. Virtual tables count as tables whether or not their module is there; their
    /// columns are not asked for.
    ///
    /// # Errors
    /// [`StoreError::Sqlite`].
    pub fn read(connection: &Connection) -> Result<Self, StoreError> {
        let doing = "read the shape of the store";
        let mut shape = Self::default();
        let mut objects = connection
            .prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_schema")
            .doing(doing)?;
        let mut columns = connection
            .prepare("SELECT name FROM pragma_table_xinfo(?1) ORDER BY cid")
            .doing(doing)?;
        let mut rows = objects.query([]).doing(doing)?;
        while let Some(row) = rows.next().doing(doing)? {
            let (kind, name, sql): (String, String, String) = row.try_into().doing(doing)?;
            if kind != "table" {
                shape.others.insert(name, kind);
                continue;
            }
            let listed = if is_virtual(&sql) {
                Vec::new()
            } else {
                let names = columns.query_map([&name], |row| row.get(0)).doing(doing)?;
                names.collect::<rusqlite::Result<_>>().doing(doing)?
            };
            shape.tables.insert(name, listed);
        }
        Ok(shape)
    }

    /// Whether there is such a table.
    pub fn has_table(&self, table: &str) -> bool {
        self.tables.contains_key(table)
    }

    /// Whether the table is there and has the column.
    pub fn has_column(&self, table: &str, column: &str) -> bool {
        self.columns(table).iter().any(|name| name == column)
    }

    /// Whether there is `TABLE` or `TABLE.COLUMN`.
    pub fn has(&self, name: &str) -> bool {
        match name.split_once('.') {
            Some((table, column)) => self.has_column(table, column),
            None => self.has_table(name),
        }
    }

    /// Whether there is an index or a trigger of that name.
    pub fn has_other(&self, name: &str) -> bool {
        self.others.contains_key(name)
    }

    /// The columns of a table, in the order in which they are stored; empty without the table.
    pub fn columns(&self, table: &str) -> &[String] {
        self.tables.get(table).map(Vec::as_slice).unwrap_or_default()
    }

    /// The names of all tables.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.keys().map(String::as_str)
    }

    /// Indexes, triggers and views: name and type.
    pub fn others(&self) -> impl Iterator<Item = (&str, &str)> {
        self.others
            .iter()
            .map(|(name, kind)| (name.as_str(), kind.as_str()))
    }

    /// Reads rows of any generation: a column that the store does not have yet is `None`. `tail` is what follows the
    /// table in the SELECT. Without the table there are no rows.
    ///
    /// # Errors
    /// [`StoreError::Value`] for a value of another storage class, [`StoreError::Sqlite`].
    pub fn rows<T: Record>(
        &self,
        connection: &Connection,
        tail: &str,
        params: impl Params,
    ) -> Result<Vec<T>, StoreError> {
        let doing = "read rows of a review store";
        if !self.has_table(T::TABLE) {
            return Ok(Vec::new());
        }
        let columns: Vec<&str> = T::COLUMNS
            .iter()
            .map(|column| {
                if self.has_column(T::TABLE, column) {
                    column
                } else {
                    "NULL"
                }
            })
            .collect();
        let sql = format!("SELECT {} FROM {} {tail}", columns.join(", "), T::TABLE);
        let mut statement = connection.prepare(&sql).doing(doing)?;
        let mut rows = statement.query(params).doing(doing)?;
        let mut read = Vec::new();
        while let Some(row) = rows.next().doing(doing)? {
            read.push(T::from_row(row)?);
        }
        Ok(read)
    }
}

fn is_virtual(sql: &str) -> bool {
    let mut words = sql.split_ascii_whitespace().skip(1);
    words
        .next()
        .is_some_and(|word| word.eq_ignore_ascii_case("VIRTUAL"))
}
