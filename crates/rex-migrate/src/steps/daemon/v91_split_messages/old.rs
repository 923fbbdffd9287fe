//! The old rows, read from either schema: at 90 they are `turns`, at 91 the same facts lie in two tables.

use std::collections::HashMap;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use super::clock::{Claimant, Clock};
use super::few::Few;
use super::{Doing as _, StepError};

/// Where the old rows lie.
#[derive(Debug)]
pub(crate) struct Dialect {
    /// Number, bot, is a run, was taken in, start, end or moment taken in, is attached, expected run, node of the
    /// words, words; in number order.
    rows: &'static str,
    /// Id, number it was filed under at 90, is `steered`, payload; in id order.
    pub(super) events: &'static str,
    /// The runs whose words lie in node `?1`.
    pub(super) opened_at: &'static str,
    /// The children of node `?1` with their items; NULL for the item of one that belongs to another run than `?2`.
    pub(super) children: &'static str,
    /// The runs without a node of their own that name one for their words.
    pub(super) unmarked: &'static str,
    /// Whether there is a row of that number, as a subquery on `wanted`.
    pub(super) has_row: &'static str,
    /// Where a message's row names the node of its words.
    pub(super) words_node: (&'static str, &'static str),
    /// Where it says when a run took it in.
    pub(super) taken_ms: (&'static str, &'static str),
}

pub(crate) const AT_90: Dialect = Dialect {
    rows: "SELECT t.id, t.bot,
            t.started_ms IS NOT NULL OR EXISTS (SELECT 1 FROM nodes n WHERE n.turn = t.id), t.status = 'steered',
            t.started_ms, t.finished_ms, t.delivery = 'attach', t.expected_turn, t.prompt_node,
            CASE WHEN t.status = 'steered' THEN t.prompt END
        FROM turns t ORDER BY t.id",
    events: "SELECT id, turn, kind = 'steered', data FROM events
        WHERE kind IN ('steered', 'turn_finished') ORDER BY id",
    opened_at: "SELECT t.id FROM turns t WHERE t.prompt_node = ?1
        AND (t.started_ms IS NOT NULL OR EXISTS (SELECT 1 FROM nodes n WHERE n.turn = t.id))",
    children: "SELECT c.id, CASE WHEN c.turn IS NULL AND NOT EXISTS (
                SELECT 1 FROM turns t WHERE t.prompt_node = c.id AND t.id <> ?2
                AND (t.started_ms IS NOT NULL OR EXISTS (SELECT 1 FROM nodes n WHERE n.turn = t.id)))
            THEN c.item END
        FROM nodes c WHERE c.parent = ?1",
    unmarked: "SELECT t.id AS id, t.prompt_node AS node FROM turns t
        WHERE t.prompt_node IS NOT NULL AND t.started_ms IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.turn = t.id)",
    has_row: "SELECT 1 FROM turns t WHERE t.id = wanted",
    words_node: ("turns", "prompt_node"),
    taken_ms: ("turns", "finished_ms"),
};

pub(crate) const AT_91: Dialect = Dialect {
    rows: "SELECT m.number, m.bot, t.id IS NOT NULL, t.id IS NULL AND m.status = 'taken',
            t.started_ms, iif(t.id IS NULL, m.taken_ms, t.finished_ms), m.delivery = 'attach', m.expected_turn,
            m.words_node, CASE WHEN t.id IS NULL AND m.status = 'taken' THEN m.words END
        FROM messages m LEFT JOIN turns t ON t.id = m.number ORDER BY m.number",
    events: "SELECT id, coalesce(turn, message), kind = 'steered', data FROM events
        WHERE kind IN ('steered', 'turn_finished') ORDER BY id",
    opened_at: "SELECT t.id FROM messages m JOIN turns t ON t.id = m.number WHERE m.words_node = ?1",
    children: "SELECT c.id, CASE WHEN c.turn IS NULL AND NOT EXISTS (
                SELECT 1 FROM messages m JOIN turns t ON t.id = m.number WHERE m.words_node = c.id AND t.id <> ?2)
            THEN c.item END
        FROM nodes c WHERE c.parent = ?1",
    unmarked: "SELECT t.id AS id, m.words_node AS node FROM messages m JOIN turns t ON t.id = m.number
        WHERE m.words_node IS NOT NULL AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.turn = t.id)",
    has_row: "SELECT 1 FROM messages m WHERE m.number = wanted",
    words_node: ("messages", "words_node"),
    taken_ms: ("messages", "taken_ms"),
};

/// A row that a run took in.
#[derive(Clone, Debug)]
pub(super) struct Steer {
    pub(super) number: i64,
    pub(super) bot: u32,
    pub(super) is_attached: bool,
    expected: Few,
    pub(super) taken_ms: Few,
    pub(super) words_node: Few,
    /// Of its words; zero while only the node holds them.
    pub(super) words: WordsHash,
    pub(super) by_steered: Evidence,
    pub(super) by_finished: Evidence,
}

/// What the events of one kind that fit say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Evidence {
    pub(super) run: Few,
    pub(super) node: Few,
}

/// Equal exactly if the words are, byte for byte.
pub(super) type WordsHash = [u8; 16];

impl Steer {
    pub(super) fn claimant(&self) -> Claimant {
        Claimant {
            number: self.number,
            is_attached: self.is_attached,
            // What is there but is no number names no run.
            expected: if self.expected == Few::NOTHING {
                None
            } else {
                Some(self.expected.one().unwrap_or(i64::MIN))
            },
        }
    }
}

/// The bots that one pass looks at.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// By the bot's place in [`Bots`]; empty for bots of other passes.
    pub(super) clocks: Vec<Clock>,
    /// In number order.
    pub(super) steers: Vec<Steer>,
}

impl Group {
    pub(super) fn steer(&self, number: i64) -> Option<usize> {
        self.steers
            .binary_search_by_key(&number, |steer| steer.number)
            .ok()
    }
}

/// Every bot that has rows; a text and a blob of the same bytes are two.
#[derive(Debug, Default)]
pub(super) struct Bots {
    texts: HashMap<Vec<u8>, u32>,
    blobs: HashMap<Vec<u8>, u32>,
}

impl Bots {
    fn len(&self) -> usize {
        self.texts.len() + self.blobs.len()
    }

    fn place(&mut self, name: ValueRef<'_>) -> u32 {
        if let Some(place) = self.find(name) {
            return place;
        }
        let next = self.len() as u32;
        let places = if matches!(name, ValueRef::Text(_)) {
            &mut self.texts
        } else {
            &mut self.blobs
        };
        places.insert(name.as_bytes().unwrap_or_default().to_vec(), next);
        next
    }

    /// The place of a bot that has rows.
    pub(super) fn find(&self, name: ValueRef<'_>) -> Option<u32> {
        let places = if matches!(name, ValueRef::Text(_)) {
            &self.texts
        } else {
            &self.blobs
        };
        places.get(name.as_bytes().unwrap_or_default()).copied()
    }
}

/// Which bots a pass looks at: those whose place leaves `rest` when divided by `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) of: u32,
    pub(super) rest: u32,
}

/// What one pass may keep; where a store needs more there is another pass. Tests have small stores.
const PASS_BYTES: usize = if cfg!(test) { 2 << 10 } else { 56 << 20 };

/// Reads the rows of as many bots of a pass as fit; the others go to further passes. One bot is never divided.
pub(super) fn load(
    connection: &Connection,
    dialect: &Dialect,
    bots: &mut Bots,
    mut pass: Pass,
    further: &mut Vec<Pass>,
) -> Result<Group, StepError> {
    let mut statement = connection.prepare_cached(dialect.rows).doing("read the turns")?;
    let mut rows = statement.query([]).doing("read the turns")?;
    let mut group = Group::default();
    let mut bytes = 0;
    while let Some(row) = rows.next().doing("read the turns")? {
        bytes += read_row(row, bots, pass, &mut group).doing("read the turns")?;
        while bytes > PASS_BYTES && (pass.of as usize) < bots.len() {
            further.push(Pass {
                of: pass.of * 2,
                rest: pass.rest + pass.of,
            });
            pass.of *= 2;
            bytes = narrow(&mut group, pass);
        }
    }
    Ok(group)
}

/// Drops what belongs to a further pass; gives the bytes that are left.
fn narrow(group: &mut Group, pass: Pass) -> usize {
    for (place, clock) in group.clocks.iter_mut().enumerate() {
        if place as u32 % pass.of != pass.rest {
            *clock = Clock::default();
        }
    }
    group.steers.retain(|steer| steer.bot % pass.of == pass.rest);
    group.clocks.iter().map(Clock::bytes).sum::<usize>() + group.steers.len() * size_of::<Steer>()
}

fn read_row(row: &Row<'_>, bots: &mut Bots, pass: Pass, group: &mut Group) -> rusqlite::Result<usize> {
    let (is_run, is_taken) = (row.get::<_, bool>(2)?, row.get::<_, bool>(3)?);
    if !is_run && !is_taken {
        return Ok(0);
    }
    let bot = bots.place(row.get_ref(1)?);
    if group.clocks.len() <= bot as usize {
        group.clocks.resize_with(bot as usize + 1, Clock::default);
    }
    if bot % pass.of != pass.rest {
        return Ok(0);
    }
    let number = row.get(0)?;
    if is_run {
        if let Some(clock) = group.clocks.get_mut(bot as usize) {
            clock.push(number, row.get_ref(4)?.as_i64().ok(), end(row.get_ref(5)?));
        }
        return Ok(size_of::<super::clock::Run>());
    }
    group.steers.push(Steer {
        number,
        bot,
        is_attached: row.get(6)?,
        expected: Few::read(row.get_ref(7)?),
        taken_ms: Few::read(row.get_ref(5)?),
        words_node: Few::read(row.get_ref(8)?),
        words: hash(row.get_ref(9)?, row.get_ref(8)?),
        by_steered: Evidence::default(),
        by_finished: Evidence::default(),
    });
    Ok(size_of::<Steer>())
}

/// What is there but is no number is an end before every start, so that nothing is read into it.
fn end(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(time_ms) => Some(time_ms),
        ValueRef::Real(_) | ValueRef::Text(_) | ValueRef::Blob(_) => Some(i64::MIN),
    }
}

/// Words of a row that are empty beside a node are in the node.
fn hash(words: ValueRef<'_>, node: ValueRef<'_>) -> WordsHash {
    match words.as_bytes() {
        Ok(bytes) if !bytes.is_empty() || node == ValueRef::Null => hash_words(bytes),
        _ => WordsHash::default(),
    }
}

/// The hash of words.
pub(super) fn hash_words(words: &[u8]) -> WordsHash {
    let hash = blake3::hash(words);
    let mut short = WordsHash::default();
    short.copy_from_slice(hash.as_bytes().first_chunk::<16>().unwrap_or(&[0; 16]));
    short
}
