//! To which run a node belongs: the nearest ancestor at which one begins. Loops, never recursion; every chain ends.

use std::collections::HashMap;

use rusqlite::{CachedStatement, Connection, OptionalExtension as _};

use super::old::Dialect;
use super::{Doing as _, StepError};

/// To which run a node belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The run that begins at the nearest such ancestor.
    Run {
        /// Its number, whether or not it has a row.
        run: i64,
        /// The ancestor.
        at: i64,
    },
    /// The node itself is where a run begins.
    Itself,
    /// The root was reached, or a node where two runs begin, or the chain bites its tail.
    Nobody,
}

/// Walks up the tree and remembers some of the nodes it passed, so that many walks through one lineage stay linear.
pub(super) struct Chain<'c> {
    node: CachedStatement<'c>,
    opened_at: CachedStatement<'c>,
    remembered: HashMap<i64, Owner>,
}

/// One node in so many is remembered: a walk that joins an earlier one soon meets what that one found.
const REMEMBERED: i64 = 64;

/// The parent of a node, and the run of which it is the first.
type Place = (Option<i64>, Option<i64>);

/// Where a run begins.
enum Begins {
    Run(i64),
    Several,
    Nowhere,
}

impl<'c> Chain<'c> {
    pub(super) fn new(connection: &'c Connection, dialect: &Dialect) -> Result<Self, StepError> {
        Ok(Self {
            node: connection
                .prepare_cached("SELECT parent, turn FROM nodes WHERE id = ?1")
                .doing("follow nodes")?,
            opened_at: connection
                .prepare_cached(dialect.opened_at)
                .doing("follow nodes")?,
            remembered: HashMap::new(),
        })
    }

    /// Says whether a node is the first of a run; of one that does not exist, that it is.
    pub(super) fn is_marked(&mut self, node: i64) -> Result<bool, StepError> {
        Ok(self.read(node)?.is_none_or(|(_, mark)| mark.is_some()))
    }

    /// Says to which run a node belongs.
    pub(super) fn owner(&mut self, node: i64) -> Result<Owner, StepError> {
        let Some((parent, mark)) = self.read(node)? else {
            return Ok(Owner::Nobody);
        };
        if !matches!(self.begins(node, mark)?, Begins::Nowhere) {
            return Ok(Owner::Itself);
        }
        let mut passed = Vec::new();
        let owner = self.walk(parent, &mut passed)?;
        self.remembered
            .extend(passed.into_iter().map(|node| (node, owner)));
        Ok(owner)
    }

    fn walk(&mut self, mut next: Option<i64>, passed: &mut Vec<i64>) -> Result<Owner, StepError> {
        // Brent's way to notice a loop: a landmark that is moved ahead each time the way has doubled.
        let (mut landmark, mut steps, mut limit) = (None, 0_u64, 1_u64);
        while let Some(at) = next {
            if let Some(owner) = self.remembered.get(&at) {
                return Ok(*owner);
            }
            if landmark == Some(at) {
                return Ok(Owner::Nobody);
            }
            let Some((parent, mark)) = self.read(at)? else {
                return Ok(Owner::Nobody);
            };
            match self.begins(at, mark)? {
                Begins::Run(run) => return Ok(Owner::Run { run, at }),
                Begins::Several => return Ok(Owner::Nobody),
                Begins::Nowhere => {}
            }
            if at % REMEMBERED == 0 {
                passed.push(at);
            }
            steps += 1;
            if steps == limit {
                (landmark, limit) = (Some(at), limit * 2);
            }
            next = parent;
        }
        Ok(Owner::Nobody)
    }

    fn read(&mut self, node: i64) -> Result<Option<Place>, StepError> {
        self.node
            .query_row([node], |row| {
                Ok((row.get_ref(0)?.as_i64().ok(), row.get_ref(1)?.as_i64().ok()))
            })
            .optional()
            .doing("follow nodes")
    }

    fn begins(&mut self, node: i64, mark: Option<i64>) -> Result<Begins, StepError> {
        if let Some(run) = mark {
            return Ok(Begins::Run(run));
        }
        let mut rows = self.opened_at.query([node]).doing("follow nodes")?;
        let Some(first) = rows.next().doing("follow nodes")? else {
            return Ok(Begins::Nowhere);
        };
        let run = first.get(0).doing("follow nodes")?;
        let has_more = rows.next().doing("follow nodes")?.is_some();
        Ok(if has_more {
            Begins::Several
        } else {
            Begins::Run(run)
        })
    }
}
