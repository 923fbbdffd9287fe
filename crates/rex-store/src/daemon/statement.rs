//! The statements of the write path, each with a name and its purpose: one list, so that a tool can plan and count
//! every one of them.

use rusqlite::{CachedStatement, Connection, Params, Row};

use super::live::{
    announce, append, create_bot, delete, end, fork, host, line, list, node, park, quote, recover, start,
    submit, take_in, transaction, wait, withdraw,
};
use super::{prune, resend, sequence};
use crate::error::{Doing, StoreError};

/// A statement that the library runs, as SQLite gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Unique in [`STATEMENTS`]: the operation and what the statement is in it.
    pub name: &'static str,
    /// What it is for, as an infinitive; errors say it.
    pub purpose: &'static str,
    /// Its text.
    pub sql: &'static str,
    /// Why it may read a table or an index from one end to the other, or sort; `None`: it must do neither.
    pub scans: Option<&'static str>,
}

/// Every statement of the write path.
pub const STATEMENTS: &[&[Statement]] = &[
    transaction::STATEMENTS,
    sequence::STATEMENTS,
    node::STATEMENTS,
    resend::STATEMENTS,
    announce::STATEMENTS,
    host::STATEMENTS,
    line::STATEMENTS,
    create_bot::STATEMENTS,
    submit::STATEMENTS,
    start::STATEMENTS,
    take_in::STATEMENTS,
    append::STATEMENTS,
    withdraw::STATEMENTS,
    park::STATEMENTS,
    wait::STATEMENTS,
    quote::STATEMENTS,
    list::STATEMENTS,
    end::STATEMENTS,
    fork::STATEMENTS,
    recover::STATEMENTS,
    delete::STATEMENTS,
    prune::STATEMENTS,
];

impl Statement {
    pub(crate) const fn new(name: &'static str, purpose: &'static str, sql: &'static str) -> Self {
        Self {
            name,
            purpose,
            sql,
            scans: None,
        }
    }

    /// The same, allowed to scan or to sort, with the reason.
    pub(crate) const fn scanning(self, why: &'static str) -> Self {
        Self {
            scans: Some(why),
            ..self
        }
    }

    /// Prepares it, or takes it from the connection's cache.
    pub(crate) fn prepare<'c>(&self, connection: &'c Connection) -> Result<CachedStatement<'c>, StoreError> {
        connection.prepare_cached(self.sql).doing(self.purpose)
    }

    /// Runs it and gives the number of rows changed.
    pub(crate) fn execute(&self, connection: &Connection, values: impl Params) -> Result<usize, StoreError> {
        self.prepare(connection)?.execute(values).doing(self.purpose)
    }

    /// Reads its first row, if it has one.
    pub(crate) fn first<T>(
        &self,
        connection: &Connection,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        let mut statement = self.prepare(connection)?;
        let mut rows = statement.query(values).doing(self.purpose)?;
        let row = rows.next().doing(self.purpose)?;
        row.map(read).transpose().doing(self.purpose)
    }

    /// Reads all its rows; only for statements with a limit.
    pub(crate) fn all<T>(
        &self,
        connection: &Connection,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.prepare(connection)?;
        let rows = statement.query_map(values, read).doing(self.purpose)?;
        rows.collect::<rusqlite::Result<_>>().doing(self.purpose)
    }
}
