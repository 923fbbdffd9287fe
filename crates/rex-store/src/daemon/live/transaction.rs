//! One operation, one transaction: done whole or not at all.

use rusqlite::{Connection, ErrorCode};

use super::LiveWriter;
use crate::daemon::statement::Statement;
use crate::error::StoreError;

const BEGIN: Statement = Statement::new("begin", "begin a transaction", "BEGIN IMMEDIATE");
const COMMIT: Statement = Statement::new("commit", "commit", "COMMIT");
const ROLLBACK: Statement = Statement::new("rollback", "roll back", "ROLLBACK");

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[BEGIN, COMMIT, ROLLBACK];

impl LiveWriter {
    /// Runs an operation under the write lock. A refusal or an error leaves the store as it was; after an error of
    /// the storage the writer is dead, because what a commit that failed left on the disk is known only to the one
    /// who opens it next.
    pub(in crate::daemon) fn transact<T>(
        &mut self,
        operation: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.is_dead {
            return Err(StoreError::WriterDead);
        }
        let connection = self.reader.connection();
        let done = run(connection, operation);
        if let Err(error) = &done {
            let is_open = !connection.is_autocommit() && ROLLBACK.execute(connection, []).is_err();
            self.is_dead = is_open || is_fatal(error);
        }
        done
    }
}

fn run<T>(
    connection: &Connection,
    operation: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    BEGIN.execute(connection, [])?;
    let done = operation(connection)?;
    COMMIT.execute(connection, [])?;
    Ok(done)
}

fn is_fatal(error: &StoreError) -> bool {
    let StoreError::Sqlite { source, .. } = error else {
        return false;
    };
    let code = source.sqlite_error_code();
    !matches!(
        code,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::ConstraintViolation)
    )
}
