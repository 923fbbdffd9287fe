//! What the events say, read once as a stream: evidence (a) and (b).

use rusqlite::types::ValueRef;
use rusqlite::{CachedStatement, OptionalExtension as _};
use serde_json::Value;

use super::super::old::Group;
use super::super::payload::{self, Payload};
use super::super::trail;
use super::super::{Doing as _, StepError};
use super::{Attribution, class};

/// One event about a message that a run took in.
struct Testimony<'a> {
    event: i64,
    /// The place of the message in its group.
    steer: usize,
    is_steered: bool,
    run: Option<i64>,
    node: Option<i64>,
    data: ValueRef<'a>,
}

impl Attribution<'_> {
    /// Gathers what events say about the messages of a group. On the first pass also what they say about any other.
    pub(super) fn gather(&mut self, group: &mut Group, is_first: bool) -> Result<(), StepError> {
        let connection = self.connection;
        let mut lookup = connection
            .prepare_cached("SELECT turn IS NULL FROM nodes WHERE id = ?1")
            .doing("look a node up")?;
        let mut events = connection
            .prepare_cached(self.dialect.events)
            .doing("read the events")?;
        let mut rows = events.query([]).doing("read the events")?;
        while let Some(row) = rows.next().doing("read the events")? {
            let event = row.get(0).doing("read the events")?;
            let filed_under = row.get_ref(1).doing("read the events")?.as_i64().ok();
            let is_steered: bool = row.get(2).doing("read the events")?;
            let data = row.get_ref(3).doing("read the events")?;
            let testimony = if is_steered {
                let Payload { other, node } = payload::read(data, "steer");
                if is_first {
                    self.steered(event, filed_under, other)?;
                }
                let steer = other.and_then(|number| group.steer(number));
                steer.map(|steer| Testimony {
                    event,
                    steer,
                    is_steered,
                    run: filed_under,
                    node,
                    data,
                })
            } else {
                let steer = filed_under.and_then(|number| group.steer(number));
                steer.map(|steer| {
                    let Payload { other, node } = payload::read(data, "into");
                    Testimony {
                        event,
                        steer,
                        is_steered,
                        run: other,
                        node,
                        data,
                    }
                })
            };
            if let Some(testimony) = testimony {
                self.weigh(group, &testimony, &mut lookup)?;
            }
        }
        Ok(())
    }

    /// Keeps what a `steered` event names, whatever that is.
    fn steered(&self, event: i64, filed_under: Option<i64>, message: Option<i64>) -> Result<(), StepError> {
        let Some(message) = message else {
            return filed_under.map_or(Ok(()), |number| self.report(class::UNREADABLE, number));
        };
        self.connection
            .prepare_cached("INSERT INTO temp.split_steered VALUES (?1, ?2, ?3)")
            .and_then(|mut statement| statement.execute((event, filed_under, message)))
            .doing("keep what an event names")
            .map(|_| ())
    }

    fn weigh(
        &mut self,
        group: &mut Group,
        testimony: &Testimony<'_>,
        lookup: &mut CachedStatement<'_>,
    ) -> Result<(), StepError> {
        let Some(steer) = group.steers.get_mut(testimony.steer) else {
            return Ok(());
        };
        let number = steer.number;
        let cell = ("events", testimony.event, "data");
        let mut tell = |says: String| {
            self.trail
                .note(number, cell, || trail::value(testimony.data), || says);
        };
        if testimony.node.is_none() || (testimony.run.is_none() && !testimony.is_steered) {
            report_to(self.connection, class::UNREADABLE, number)?;
        }
        let Some(run) = testimony.run else {
            tell(
                "names no run: the number in the payload cannot be read, or the event is filed under none"
                    .to_owned(),
            );
            return if testimony.is_steered {
                self.report(class::DISAGREEMENTS, number)
            } else {
                Ok(())
            };
        };
        let exists = group
            .clocks
            .get(steer.bot as usize)
            .is_some_and(|clock| clock.run(run).is_some());
        if !exists || !steer.claimant().may_be_in(run) {
            tell(format!(
                "names {run}, which is no run of this bot that could have taken the message in"
            ));
            return self.report(class::DISAGREEMENTS, number);
        }
        let heard = if testimony.is_steered {
            &mut steer.by_steered
        } else {
            &mut steer.by_finished
        };
        heard.run.add(run);
        let Some(node) = testimony.node else {
            tell(format!("run {run} took the message in; no node that can be read"));
            return Ok(());
        };
        let is_unmarked: Option<bool> = lookup
            .query_row([node], |row| row.get(0))
            .optional()
            .doing("look a node up")?;
        if is_unmarked != Some(true) {
            let why = if is_unmarked.is_none() {
                "does not exist"
            } else {
                "is the first node of a run"
            };
            tell(format!("run {run} took the message in; its node {node} {why}"));
            return self.report(class::DISAGREEMENTS, number);
        }
        heard.node.add(node);
        tell(format!("run {run} took the message in as node {node}"));
        Ok(())
    }
}

fn report_to(connection: &rusqlite::Connection, class: &str, number: i64) -> Result<(), StepError> {
    super::report(connection, class, number)
}

/// The value of a cell that holds a number.
pub(super) fn number(value: i64) -> Value {
    value.into()
}
