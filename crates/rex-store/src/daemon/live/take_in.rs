//! A run takes messages in: steers at a round boundary, and what is attached from its start on.

use rusqlite::{Connection, Row};
use serde::Serialize;

use super::LiveWriter;
use super::announce::{About, announce};
use super::node::{self, Tip};
use super::submit::HELD_BYTES;
use crate::daemon::item;
use crate::daemon::refusal::Refusal;
use crate::daemon::resend::{From, resolved_words};
use crate::daemon::statement::Statement;
use crate::error::{Doing, StoreError};

/// How many messages one batch takes in at most.
pub const TAKE_BATCH: usize = 32;

/// How many bytes of words one batch takes in at most, unless its first message alone has more.
pub const TAKE_BYTES: usize = 256 * 1024;

/// In number order: what is attached and older than the run; steers for it or for any run, that name no other folder
/// and no other model than the run's.
const FITTING: Statement = Statement::new(
    "take_in.fitting",
    "look for messages that a run can take in",
    "SELECT m.number, m.words, n.item, m.workspace, m.model, m.from_bot, m.from_turn, m.from_id, m.origin
    FROM messages m INDEXED BY messages_in_line LEFT JOIN nodes n ON n.id = m.words_node AND length(m.words) = 0
    WHERE m.bot = ?1 AND m.number < ?2 AND m.status IN ('queued', 'attached')
        AND (m.status = 'attached' AND m.number < ?3
            OR m.status = 'queued' AND m.delivery = 'steer' AND coalesce(m.expected_turn, ?3) = ?3
                AND coalesce(m.workspace, ?4) IS ?4 AND coalesce(m.model, ?5) IS ?5)
    ORDER BY m.number",
);
const RUN: Statement = Statement::new(
    "take_in.run",
    "look a run up",
    "SELECT t.bot, t.status, b.head, b.family, m.workspace, m.model
    FROM turns t JOIN messages m ON m.number = t.id JOIN bots b ON b.name = t.bot WHERE t.id = ?1",
);
const TAKE: Statement = Statement::new(
    "take_in.take",
    "mark a message as taken",
    "UPDATE messages SET status = 'taken', turn = ?2, node = ?3, taken_ms = ?4,
        workspace = coalesce(workspace, ?5), model = coalesce(model, ?6),
        words = CASE WHEN ?7 THEN '' ELSE words END, words_node = CASE WHEN ?7 THEN ?3 ELSE words_node END
    WHERE number = ?1",
);
const HEAD: Statement = Statement::new(
    "take_in.head",
    "move the head of a bot",
    "UPDATE bots SET head = ?2 WHERE name = ?1",
);

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[FITTING, RUN, TAKE, HEAD];

/// What a run took in at a round boundary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TakenIn {
    /// The messages, in the order of their numbers and of their items.
    pub messages: Vec<i64>,
    /// Whether the batch was full: there may be more.
    pub is_full: bool,
}

impl LiveWriter {
    /// Takes into a running run what fits, in number order, at most [`TAKE_BATCH`] messages and [`TAKE_BYTES`]. Each
    /// becomes an item below the head. Events `turn_finished` with status `steered` under the message and `steered`
    /// under the run. Call it at a round boundary; what was not sent for this run stays in line.
    ///
    /// # Errors
    /// [`StoreError::Refused`] with [`Refusal::TurnNotFound`] or [`Refusal::TurnState`], [`StoreError::WriterDead`],
    /// [`StoreError::Sqlite`].
    pub fn take_in(&mut self, turn: i64, now_ms: i64) -> Result<TakenIn, StoreError> {
        self.transact(|connection| {
            let going = Going::find(connection, turn)?;
            let run = going.run(turn);
            let batch = batch(connection, &run, i64::MAX)?;
            let tip = Tip::of(connection, going.head)?;
            if let Some(tip) = take(connection, &run, tip, &batch, now_ms)? {
                HEAD.execute(connection, (run.bot, tip.node))?;
            }
            Ok(TakenIn {
                messages: batch.messages.iter().map(|taken| taken.number).collect(),
                is_full: batch.is_full,
            })
        })
    }
}

/// A run that goes, as its rows say.
pub(super) struct Going {
    pub(super) bot: String,
    pub(super) head: Option<i64>,
    family: String,
    workspace: Option<String>,
    model: Option<String>,
}

impl Going {
    pub(super) fn find(connection: &Connection, turn: i64) -> Result<Self, StoreError> {
        let found = RUN.first(connection, [turn], |row| {
            let status: super::RunStatus = row.get(1)?;
            let going = Self {
                bot: row.get(0)?,
                head: row.get(2)?,
                family: row.get(3)?,
                workspace: row.get(4)?,
                model: row.get(5)?,
            };
            Ok((status, going))
        })?;
        match found {
            None => Err(Refusal::TurnNotFound.into()),
            Some((super::RunStatus::Running, going)) => Ok(going),
            Some((status, _)) => Err(Refusal::TurnState {
                found: status.as_str(),
            }
            .into()),
        }
    }

    fn run(&self, turn: i64) -> Run<'_> {
        Run {
            turn,
            bot: &self.bot,
            family: &self.family,
            workspace: self.workspace.as_deref(),
            model: self.model.as_deref(),
        }
    }
}

/// A run that takes messages in.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) turn: i64,
    pub(super) bot: &'a str,
    pub(super) family: &'a str,
    pub(super) workspace: Option<&'a str>,
    pub(super) model: Option<&'a str>,
}

/// A message that leaves the line into a run.
pub(super) struct Taken {
    pub(super) number: i64,
    pub(super) words: Vec<u8>,
    /// Whether the words are the row's own, not those of a node.
    pub(super) is_in_row: bool,
    pub(super) workspace: Option<String>,
    pub(super) model: Option<String>,
    pub(super) from_bot: Option<String>,
    pub(super) from_turn: Option<i64>,
    pub(super) from_id: Option<i64>,
    pub(super) origin: Option<String>,
}

impl Taken {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            number: row.get(0)?,
            words: resolved_words(row, 1, 2)?.into_owned(),
            is_in_row: row.get_ref(1)?.as_bytes().is_ok_and(|words| !words.is_empty()),
            workspace: row.get(3)?,
            model: row.get(4)?,
            from_bot: row.get(5)?,
            from_turn: row.get(6)?,
            from_id: row.get(7)?,
            origin: row.get(8)?,
        })
    }

    pub(super) fn sender(&self) -> From<'_> {
        From {
            bot: self.from_bot.as_deref(),
            turn: self.from_turn,
            id: self.from_id,
            origin: self.origin.as_deref(),
        }
    }

    /// Long words go to the node alone, unless they are no text: then the item shows what can be shown of them.
    fn is_held(&self) -> bool {
        self.is_in_row && self.words.len() >= HELD_BYTES && std::str::from_utf8(&self.words).is_ok()
    }
}

/// What fits into one batch.
pub(super) struct Batch {
    messages: Vec<Taken>,
    is_full: bool,
}

/// Reads the next batch of a run, of messages with numbers below `below`.
pub(super) fn batch(connection: &Connection, run: &Run<'_>, below: i64) -> Result<Batch, StoreError> {
    let mut statement = FITTING.prepare(connection)?;
    let values = (run.bot, below, run.turn, run.workspace, run.model);
    let mut rows = statement.query(values).doing(FITTING.purpose)?;
    let (mut messages, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.next().doing(FITTING.purpose)? {
        let taken = Taken::read(row).doing(FITTING.purpose)?;
        bytes += taken.words.len();
        let is_full = messages.len() == TAKE_BATCH || (bytes > TAKE_BYTES && !messages.is_empty());
        if is_full {
            return Ok(Batch { messages, is_full });
        }
        messages.push(taken);
    }
    let is_full = false;
    Ok(Batch { messages, is_full })
}

/// Writes a batch into the lineage below a tip, and returns the new tip.
pub(super) fn take(
    connection: &Connection,
    run: &Run<'_>,
    mut tip: Option<Tip>,
    batch: &Batch,
    now_ms: i64,
) -> Result<Option<Tip>, StoreError> {
    for taken in &batch.messages {
        let item = item::user(run.family, &String::from_utf8_lossy(&taken.words));
        let below = node::append(connection, tip, &item, None)?;
        node::sender(connection, below.node, taken.sender())?;
        mark_taken(connection, run, taken, below.node, now_ms)?;
        announce_taken(connection, run, taken, below.node)?;
        tip = Some(below);
    }
    Ok(tip)
}

/// Writes into a message's row which run took it in, as which node.
pub(super) fn mark_taken(
    connection: &Connection,
    run: &Run<'_>,
    taken: &Taken,
    node: i64,
    now_ms: i64,
) -> Result<(), StoreError> {
    let (workspace, model, is_held) = (run.workspace, run.model, taken.is_held());
    let values = (taken.number, run.turn, node, now_ms, workspace, model, is_held);
    TAKE.execute(connection, values)?;
    Ok(())
}

fn announce_taken(
    connection: &Connection,
    run: &Run<'_>,
    taken: &Taken,
    node: i64,
) -> Result<(), StoreError> {
    let into = Joined {
        status: "steered",
        into: run.turn,
        node,
    };
    announce(
        connection,
        About::message(run.bot, taken.number),
        "turn_finished",
        &into,
    )?;
    let steered = Steered {
        steer: taken.number,
        node,
        from: taken.from_bot.as_deref(),
        origin: taken.origin.as_deref(),
    };
    let about = About::taken(run.bot, run.turn, taken.number);
    announce(connection, about, "steered", &steered)
}

#[derive(Serialize)]
struct Joined {
    status: &'static str,
    into: i64,
    node: i64,
}

#[derive(Serialize)]
struct Steered<'a> {
    steer: i64,
    node: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'a str>,
}
