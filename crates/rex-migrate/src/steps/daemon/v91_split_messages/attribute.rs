//! Which run took each message in, and which node it became: every rule in turn, over the whole store.
//!
//! Reads the store and writes temporary tables only: `split_taken` holds what was found out about each message that a
//! run took in, `split_given` the nodes that have an owner, `split_class` the members of the report's classes.

use rusqlite::Connection;

use super::chain::Chain;
use super::old::{self, Bots, Dialect, Group, Pass};
use super::trail::Trail;
use super::{Doing as _, StepError};

mod evidence;
mod judge;

/// The classes of the report whose members are not to be read from the upgraded tables.
pub(crate) mod class {
    /// Bots whose times contradict each other.
    pub(crate) const UNSAFE: &str = "clock_unsafe_bots";
    /// Messages whose evidence contradicts itself or the rows.
    pub(crate) const DISAGREEMENTS: &str = "disagreements";
    /// Messages with a payload that cannot be read.
    pub(crate) const UNREADABLE: &str = "unreadable_payloads";
    /// Runs that wait for a text that would become a handle.
    pub(crate) const DEAD: &str = "dead_handles";
}

/// Which claim of a node is stronger; a run's own node is never claimed by another.
pub(super) mod rank {
    /// An event names the node.
    pub(crate) const EVENT: i64 = 1;
    /// The row names the node for its words.
    pub(crate) const PROMPT_NODE: i64 = 2;
}

/// The rules at work on one store.
pub(crate) struct Attribution<'c> {
    pub(super) connection: &'c Connection,
    pub(super) dialect: &'static Dialect,
    pub(crate) trail: Trail,
}

const TABLES: &str = "
    CREATE TEMP TABLE split_taken(
      number INTEGER PRIMARY KEY, turn INTEGER, turn_rule TEXT NOT NULL,
      claim INTEGER, claim_rank INTEGER, words BLOB NOT NULL, node INTEGER, node_rule TEXT);
    CREATE TEMP TABLE split_given(node INTEGER PRIMARY KEY, number INTEGER);
    CREATE TEMP TABLE split_class(class TEXT, number INTEGER, PRIMARY KEY (class, number)) WITHOUT ROWID;
    CREATE TEMP TABLE split_steered(event INTEGER PRIMARY KEY, turn INTEGER, message INTEGER);";

impl<'c> Attribution<'c> {
    /// Finds out everything. Writes temporary tables; [`forget`] drops them.
    ///
    /// # Errors
    /// [`StepError::Sqlite`].
    pub(crate) fn run(
        connection: &'c Connection,
        dialect: &'static Dialect,
        watched: Option<i64>,
    ) -> Result<Self, StepError> {
        forget(connection)?;
        connection
            .execute_batch(TABLES)
            .doing("make room for what is found out")?;
        let trail = Trail {
            watched,
            ..Trail::default()
        };
        let mut attribution = Self {
            connection,
            dialect,
            trail,
        };
        attribution.turns()?;
        attribution.steered_events()?;
        attribution.claims()?;
        attribution.words()?;
        Ok(attribution)
    }

    fn turns(&mut self) -> Result<(), StepError> {
        let mut bots = Bots::default();
        let mut passes = vec![Pass { of: 1, rest: 0 }];
        let mut is_first = true;
        while let Some(pass) = passes.pop() {
            let mut group = old::load(self.connection, self.dialect, &mut bots, pass, &mut passes)?;
            self.gather(&mut group, is_first)?;
            self.distrust(&mut group, &bots)?;
            let mut chain = Chain::new(self.connection, self.dialect)?;
            self.judge(&group, &mut chain)?;
            is_first = false;
        }
        Ok(())
    }

    /// Every bot whose own times, or whose messages of known runs, contradict each other.
    fn distrust(&self, group: &mut Group, bots: &Bots) -> Result<(), StepError> {
        for steer in &group.steers {
            let (Some(taken_ms), Some(run)) = (steer.taken_ms.one(), judge::by_events(steer)) else {
                continue;
            };
            let Some(clock) = group.clocks.get_mut(steer.bot as usize) else {
                continue;
            };
            if clock.run(run).is_some_and(|run| !run.was_going_at(taken_ms)) {
                clock.distrust();
            }
        }
        let mut statement = self
            .connection
            .prepare("SELECT id, name FROM bots")
            .doing("read the bots")?;
        let mut rows = statement.query([]).doing("read the bots")?;
        while let Some(row) = rows.next().doing("read the bots")? {
            let place = bots.find(row.get_ref(1).doing("read the bots")?);
            let clock = place.and_then(|place| group.clocks.get(place as usize));
            if clock.is_some_and(|clock| !clock.is_sound()) {
                self.report(class::UNSAFE, row.get(0).doing("read the bots")?)?;
            }
        }
        Ok(())
    }

    /// Events `steered` that name what no run took in.
    fn steered_events(&self) -> Result<(), StepError> {
        let sql = format!(
            "INSERT OR IGNORE INTO temp.split_class
             SELECT '{}', iif(EXISTS ({}), wanted, turn) FROM (
                 SELECT s.message AS wanted, s.turn AS turn FROM temp.split_steered s
                 WHERE NOT EXISTS (SELECT 1 FROM temp.split_taken x WHERE x.number = s.message))
             WHERE turn IS NOT NULL OR EXISTS ({})",
            class::DISAGREEMENTS,
            self.dialect.has_row,
            self.dialect.has_row
        );
        self.connection
            .execute(&sql, [])
            .doing("compare the events with the rows")
            .map(|_| ())
    }

    /// Adds a member to a class of the report.
    pub(super) fn report(&self, class: &str, number: i64) -> Result<(), StepError> {
        report(self.connection, class, number)
    }
}

/// Adds a member to a class of the report.
pub(super) fn report(connection: &Connection, class: &str, number: i64) -> Result<(), StepError> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO temp.split_class VALUES (?1, ?2)")
        .and_then(|mut statement| statement.execute((class, number)))
        .doing("report a row")
        .map(|_| ())
}

/// Drops the temporary tables, if they are there.
pub(crate) fn forget(connection: &Connection) -> Result<(), StepError> {
    connection
        .execute_batch(
            "DROP TABLE IF EXISTS temp.split_taken; DROP TABLE IF EXISTS temp.split_given;
             DROP TABLE IF EXISTS temp.split_class; DROP TABLE IF EXISTS temp.split_steered;",
        )
        .doing("drop temporary tables")
}
