//! The daemon store: its schemas before and after messages were split from turns, its rows, and what version 91 does.

mod bot;
mod event;
pub mod item;
mod live;
mod message;
mod node;
mod prune;
mod record;
mod refusal;
mod resend;
mod row;
mod sequence;
mod statement;
mod turn;

pub use bot::Bot;
pub use event::{Event, Event90};
pub use live::append::Round;
pub use live::create_bot::NewBot;
pub use live::delete::{DELETE_BATCH, Deletion};
pub use live::end::End;
pub use live::fork::NewFork;
pub use live::list::{Listed, PREVIEW_CHARS};
pub use live::park::Waiting;
pub use live::recover::Recovered;
pub use live::start::Next;
pub use live::submit::{HELD_BYTES, Submitted};
pub use live::take_in::{TAKE_BATCH, TAKE_BYTES, TakenIn};
pub use live::wait::Awaited;
pub use live::{LiveReader, LiveWriter};
pub use message::{Message, MessageStatus};
pub use node::{Item, Node, Sender};
pub use prune::{PRUNE_BATCH, Pruned, prune};
pub use record::{Approval, Artifact, Process, Tool};
pub use refusal::Refusal;
pub use resend::{From, Request, Resent, resend};
pub use row::Text;
pub(crate) use row::{unreadable, words};
pub use sequence::next_number;
pub use statement::{STATEMENTS, Statement};
pub use turn::{RunStatus, Status90, Turn, Turn90};

use rusqlite::Connection;

use crate::error::{Doing, StoreError};

/// The schema at version 90, as SQL; it creates tables and indexes and writes no row.
pub const SCHEMA_90: &str = include_str!("daemon/90.sql");

/// What version 91 adds, as SQL: on top of version 90 without `turns`, `retained_turns` and `turn_sequence`, and
/// with a column `events.message`.
pub const SCHEMA_91: &str = include_str!("daemon/91.sql");

/// Creates the empty schema of version 90 in an empty database, and sets its version. Writes no row: a store gets
/// its singletons from [`found`].
///
/// # Errors
/// [`StoreError::Sqlite`] if anything is in the way; nothing is then written.
pub fn create_90(connection: &Connection) -> Result<(), StoreError> {
    create(connection, &format!("{SCHEMA_90}\nPRAGMA user_version = 90;"))
}

/// Creates the empty schema of version 91 in an empty database, and sets its version. Writes no row.
///
/// # Errors
/// [`StoreError::Sqlite`] if anything is in the way; nothing is then written.
pub fn create_91(connection: &Connection) -> Result<(), StoreError> {
    let without_turns = "
        DROP TABLE retained_turns;
        DROP TABLE turns;
        DROP TABLE turn_sequence;
        ALTER TABLE events ADD COLUMN message INTEGER;";
    create(
        connection,
        &format!("{SCHEMA_90}\n{without_turns}\n{SCHEMA_91}\nPRAGMA user_version = 91;"),
    )
}

/// Writes the rows that every store has exactly once, for a store that has none yet: its identity, a number that the
/// caller draws at random, and its sequences at 0. Works at both versions.
///
/// # Errors
/// [`StoreError::Sqlite`] if they are there already; nothing is then written.
pub fn found(connection: &Connection, identity: i64) -> Result<(), StoreError> {
    let at_91 = connection
        .table_exists(None, "message_sequence")
        .doing("found a store")?;
    let numbers = if at_91 {
        "message_sequence"
    } else {
        "turn_sequence"
    };
    let rows = format!(
        "INSERT INTO store VALUES (1, {identity});
        INSERT INTO event_retention VALUES (1, 0);
        INSERT INTO {numbers} VALUES (1, 0);
        INSERT INTO node_sequence VALUES (1, 0);
        INSERT INTO bot_sequence VALUES (1, 0);"
    );
    create(connection, &rows)
}

fn create(connection: &Connection, sql: &str) -> Result<(), StoreError> {
    let all_or_nothing = connection.unchecked_transaction().doing("create a store")?;
    all_or_nothing.execute_batch(sql).doing("create a store")?;
    all_or_nothing.commit().doing("create a store")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;

    #[test]
    fn a_fresh_91_is_90_without_turns_plus_what_91_adds() {
        let (fresh, by_hand) = (
            Connection::open_in_memory().unwrap(),
            Connection::open_in_memory().unwrap(),
        );
        create_91(&fresh).unwrap();
        let code: String = SCHEMA_90
            .lines()
            .filter_map(|line| line.split("--").next())
            .collect();
        let gone = [
            "TABLE turns(",
            "ON turns(",
            "TABLE retained_turns(",
            "ON retained_turns(",
            "TABLE turn_sequence(",
        ];
        let stays = |statement: &&str| !gone.iter().any(|gone| statement.contains(gone));
        let without_turns: String = code.split_inclusive(';').filter(stays).collect();
        by_hand.execute_batch(&without_turns).unwrap();
        by_hand
            .execute_batch("ALTER TABLE events ADD COLUMN message INTEGER")
            .unwrap();
        by_hand.execute_batch(SCHEMA_91).unwrap();
        let differences = Schema::read(&fresh)
            .unwrap()
            .differences(&Schema::read(&by_hand).unwrap());
        assert_eq!(differences, Vec::new());
        assert!(
            Schema::read(&by_hand)
                .unwrap()
                .differences(&Schema::read(&fresh).unwrap())
                .is_empty()
        );
    }

    #[test]
    fn both_versions_say_what_they_are() {
        for (version, create) in [
            (90, create_90 as fn(&Connection) -> Result<(), StoreError>),
            (91, create_91),
        ] {
            let store = Connection::open_in_memory().unwrap();
            create(&store).unwrap();
            found(&store, 7).unwrap();
            let found: i64 = store
                .query_row("PRAGMA user_version", [], |row| row.get(0))
                .unwrap();
            assert_eq!(found, version);
            let kind = crate::identify::classify(&store).unwrap().0;
            assert_eq!(
                kind == crate::identify::Kind::DaemonV91,
                version == 91,
                "{kind:?}"
            );
        }
    }

    #[test]
    fn a_schema_that_is_there_already_stays_as_it_is() {
        let store = Connection::open_in_memory().unwrap();
        create_90(&store).unwrap();
        let error = create_91(&store).unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains("already exists"), "{cause}");
        assert_eq!(
            crate::identify::classify(&store).unwrap(),
            (crate::identify::Kind::DaemonV90, 90)
        );
    }
}
