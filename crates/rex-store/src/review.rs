//! The review store (`rex.db`): comments on documents that are conversations. It has no version number: thirteen
//! generations are told apart by their columns, and a store that was opened only half is told too.

mod about;
pub mod checks;
mod generation;
mod lane;
mod name;
mod order;
mod row;
mod rows;
mod session;
mod shape;

pub use about::{About, Pane, about, best_state, worst_state};
pub use generation::{Generation, NEWEST, generation, is_review};
pub use lane::{AnchorState, Lane, Status, lane};
pub use name::name;
pub use order::{Entry, Tree, tree};
pub use row::Record;
pub use rows::{
    ApplyRun, Document, Gateway, Group, Message, Model, Provider, Reference, Route, Session, Setting, Target,
    Thread, WorkspaceRule,
};
pub use session::{FIRST_SESSION_NAMESPACE, SDKS, first_session_id};
pub use shape::Shape;

use rusqlite::Connection;

use crate::error::{Doing, StoreError};

/// The schema of a fresh store of generation 7, as SQL that leaves alone what is there.
pub const SCHEMA_7: &str = include_str!("review/7.sql");

/// The schema of a fresh store of generation 13, as SQL that leaves alone what is there. The index on `thread` that the
/// application makes in a step, because older stores lack its columns, is [`THREAD_GROUP_INDEX`].
pub const SCHEMA_13: &str = include_str!("review/13.sql");

/// The index that belongs to a fresh store too, and that names columns which older stores lack.
pub const THREAD_GROUP_INDEX: &str =
    "CREATE INDEX IF NOT EXISTS idx_thread_group ON thread(group_id, position);";

/// Creates the empty schema of generation 13. Writes no row: the application itself adds its own gateways.
///
/// # Errors
/// [`StoreError::Sqlite`] if anything is in the way; nothing is then written.
pub fn create_13(connection: &Connection) -> Result<(), StoreError> {
    create(connection, &format!("{SCHEMA_13}{THREAD_GROUP_INDEX}"))
}

/// Creates the empty schema of generation 7.
///
/// # Errors
/// [`StoreError::Sqlite`] if anything is in the way; nothing is then written.
pub fn create_7(connection: &Connection) -> Result<(), StoreError> {
    create(connection, SCHEMA_7)
}

fn create(connection: &Connection, sql: &str) -> Result<(), StoreError> {
    let doing = "create a review store";
    let all_or_nothing = connection.unchecked_transaction().doing(doing)?;
    all_or_nothing.execute_batch(sql).doing(doing)?;
    all_or_nothing.commit().doing(doing)
}
