//! The rows of a log as the client holds them: one per uuid, linked to their parents, with the place to go on from.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use super::log::{Pointer, Transcript};
use super::row::{Id, Kind, Mark, Row};

/// How a generation of the client, or its SDK, reads the lines of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generation {
    /// Up to 2.0: one value a line, and nothing but uuids and times counts.
    Old,
    /// 2.1.197: values may share a line; a row without its message stops the load.
    Middle,
    /// 2.1.332: such rows are left out and their children linked to their parents.
    New,
    /// `get_session_messages` of the Python SDK 0.2.189.
    Sdk,
}

impl Generation {
    fn reads_shared_lines(self) -> bool {
        matches!(self, Generation::Middle | Generation::New)
    }
}

/// Hashes numbers that are spread well already.
#[derive(Default)]
pub(super) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0.rotate_left(8) ^ u64::from(*byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }
    fn write_u128(&mut self, number: u128) {
        self.0 ^= (number as u64 ^ (number >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    fn write_u64(&mut self, number: u64) {
        self.0 ^= number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

pub(super) type ById<T> = HashMap<Id, T, BuildHasherDefault<Spread>>;

/// A row in its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) row: Row,
    /// What it names as its parent, after older rows that are left out.
    pub(super) parent: Id,
}

/// The rows of a log, in the order in which their uuids first came.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    by_id: ById<u32>,
    /// What the rows name as their parents, replaced ones too; for the SDK only.
    pub(super) named_parents: HashSet<Id>,
    /// The last row of the main conversation in the file.
    pub(super) last: Option<u32>,
    /// The one with the greatest time.
    pub(super) newest: Option<u32>,
    /// The row that the last pointer names, whether it is there or not.
    pub(super) checkpoint: Option<Checkpoint>,
    /// The conversation was rewound to nothing.
    pub(super) is_empty: bool,
    /// Some pointer has a `leafUuid`, be it null.
    pub(super) has_pointers: bool,
    /// The file ends with snapshots of files.
    pub(super) ends_on_snapshots: bool,
    generation: Generation,
}

/// The place to go on from, as a pointer names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Checkpoint {
    pub(super) leaf: Id,
    pub(super) is_explicit: bool,
}

impl Graph {
    pub(super) fn of(log: &Transcript, generation: Generation) -> Self {
        let mut graph = Self {
            nodes: Vec::with_capacity(log.rows.len()),
            by_id: ById::default(),
            named_parents: HashSet::new(),
            last: None,
            newest: None,
            checkpoint: None,
            is_empty: false,
            has_pointers: false,
            ends_on_snapshots: false,
            generation,
        };
        let mut skipped = ById::default();
        let mut dropped = ById::default();
        let mut pointers = log.pointers.iter().peekable();
        for (at, row) in log.rows.iter().enumerate() {
            while let Some((_, pointer)) = pointers.next_if(|(before, _)| *before <= at) {
                graph.point(*pointer);
            }
            graph.add(row, &mut skipped, &mut dropped);
        }
        for (_, pointer) in pointers {
            graph.point(*pointer);
        }
        graph.link_past(&dropped);
        graph
    }

    fn add(&mut self, row: &Row, skipped: &mut ById<Id>, dropped: &mut ById<Id>) {
        let is_sdk = self.generation == Generation::Sdk;
        if !self.reads(row) || is_sdk && row.is(Mark::UuidBad) {
            return;
        }
        if is_sdk {
            self.named_parents.insert(row.parent);
        }
        let mut parent = row.parent;
        if self.generation.reads_shared_lines() {
            parent = skipped.get(&parent).copied().unwrap_or(parent);
            if row.kind() == Kind::Progress {
                skipped.insert(row.uuid, parent);
                return;
            }
        } else if row.kind() == Kind::Progress && !is_sdk {
            return;
        }
        if self.generation == Generation::New && is_unsendable(row) {
            if !self.by_id.contains_key(&row.uuid) {
                dropped.insert(row.uuid, parent);
            }
            return;
        }
        let at = self.insert(Node { row: *row, parent });
        if self.generation.reads_shared_lines() {
            self.note_place(row, at);
        }
    }

    /// Whether the row's line is read so that the row comes out of it.
    fn reads(&self, row: &Row) -> bool {
        match self.generation {
            Generation::Old => ![Mark::Joined, Mark::AfterBom, Mark::Spread]
                .iter()
                .any(|mark| row.is(*mark)),
            Generation::Sdk => {
                let is_alone = !row.is(Mark::Joined) || row.is(Mark::Returned);
                is_alone && !row.is(Mark::AfterBom) && !row.is(Mark::Spread)
            }
            Generation::Middle | Generation::New => !row.is(Mark::Behind),
        }
    }

    fn insert(&mut self, node: Node) -> u32 {
        let next = self.nodes.len() as u32;
        let at = *self.by_id.entry(node.row.uuid).or_insert(next);
        match self.nodes.get_mut(at as usize) {
            Some(place) => *place = node,
            None => self.nodes.push(node),
        }
        at
    }

    fn note_place(&mut self, row: &Row, at: u32) {
        if row.is(Mark::Snapshot) {
            self.ends_on_snapshots = true;
        } else if !row.is(Mark::Side) && !row.is(Mark::Briefing) {
            self.last = Some(at);
            self.ends_on_snapshots = false;
            if let Some(checkpoint) = &mut self.checkpoint {
                checkpoint.is_explicit = false;
            }
            self.is_empty = false;
            let newest = self.newest.and_then(|at| self.nodes.get(at as usize));
            if row.time_ms != Row::NO_TIME && newest.is_none_or(|newest| row.time_ms > newest.row.time_ms) {
                self.newest = Some(at);
            }
        }
        if row.is(Mark::Boundary) {
            self.checkpoint = None;
        }
    }

    fn point(&mut self, pointer: Pointer) {
        match pointer {
            Pointer::To {
                leaf, is_explicit, ..
            } => {
                let was = self
                    .checkpoint
                    .is_some_and(|old| old.leaf == leaf && old.is_explicit);
                self.checkpoint = Some(Checkpoint {
                    leaf,
                    is_explicit: is_explicit || was,
                });
                self.has_pointers = true;
                self.is_empty = false;
            }
            Pointer::Empty => {
                self.checkpoint = None;
                self.has_pointers = true;
                self.is_empty = true;
            }
            Pointer::Null => self.has_pointers = true,
            Pointer::Silent => {}
        }
    }

    /// Links the children of rows that were left out to the nearest row that is there.
    fn link_past(&mut self, dropped: &ById<Id>) {
        if dropped.is_empty() {
            return;
        }
        let mut changes = vec![];
        for (at, node) in self.nodes.iter().enumerate() {
            let mut parent = node.parent;
            let mut steps = 0;
            while !parent.is_none() && !self.by_id.contains_key(&parent) && steps <= dropped.len() {
                match dropped.get(&parent) {
                    Some(above) => parent = *above,
                    None => break,
                }
                steps += 1;
            }
            if steps > dropped.len() {
                parent = Id::NONE;
            }
            if parent != node.parent {
                changes.push((at, parent));
            }
        }
        for (at, parent) in changes {
            if let Some(node) = self.nodes.get_mut(at) {
                node.parent = parent;
            }
        }
    }

    pub(super) fn node(&self, at: u32) -> Option<&Node> {
        self.nodes.get(at as usize)
    }

    pub(super) fn find(&self, id: Id) -> Option<u32> {
        self.by_id.get(&id).copied()
    }

    /// The row above; none where it names none or one that is not there.
    pub(super) fn parent(&self, at: u32) -> Option<u32> {
        let node = self.node(at)?;
        if node.parent.is_none() {
            return None;
        }
        self.find(node.parent)
    }

    /// The rows from `at` upwards, ending before a row comes twice.
    pub(super) fn upwards(&self, at: u32) -> impl Iterator<Item = u32> + '_ {
        let mut steps = self.nodes.len() + 1;
        std::iter::successors(Some(at), move |at| {
            steps = steps.checked_sub(1)?;
            self.parent(*at)
        })
    }
}

/// A row of which 2.1.332 could send nothing.
fn is_unsendable(row: &Row) -> bool {
    let is_blank_reply = row.kind() == Kind::Assistant && row.is(Mark::ContentText) && !row.is(Mark::Says);
    row.is_talk() && (row.lacks_message() || is_blank_reply)
}
