//! The rows by time, to bridge a link that is broken.

use std::collections::{HashMap, HashSet};

use super::super::super::graph::Graph;
use super::super::super::row::{Mark, Row};
use super::BRIDGED_MS;

/// The rows of each side by time, to bridge a broken link.
#[derive(Default)]
pub(super) struct Near {
    sides: HashMap<u32, Side>,
}

struct Side {
    /// By time; of equal times the one that came first is last.
    rows: Vec<(i64, u32)>,
    /// For each place, the next one at or before it that may still be free.
    free: Vec<usize>,
}

impl Near {
    /// The latest row of the same side that was not walked yet and is at most [`BRIDGED_MS`] older.
    pub(super) fn before(&mut self, graph: &Graph, at: u32, seen: &HashSet<u32>) -> Option<u32> {
        let row = graph.node(at)?.row;
        if row.time_ms == Row::NO_TIME {
            return None;
        }
        let side = self
            .sides
            .entry(row.side())
            .or_insert_with(|| Side::of(graph, row.side()));
        let end = side.rows.partition_point(|(time, _)| *time <= row.time_ms);
        let found = side.free_at(end.checked_sub(1)?, seen)?;
        let (time, at) = *side.rows.get(found)?;
        (row.time_ms - time <= BRIDGED_MS).then_some(at)
    }
}

impl Side {
    fn of(graph: &Graph, side: u32) -> Self {
        let mut rows: Vec<(i64, u32)> = graph
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.row.side() == side && node.row.time_ms != Row::NO_TIME)
            .filter(|(_, node)| !node.row.is(Mark::Snapshot))
            .map(|(at, node)| (node.row.time_ms, at as u32))
            .collect();
        rows.sort_unstable_by_key(|(time, at)| (*time, std::cmp::Reverse(*at)));
        let free = (0..rows.len()).collect();
        Self { rows, free }
    }

    fn free_at(&mut self, from: usize, seen: &HashSet<u32>) -> Option<usize> {
        let mut at = from;
        let mut passed = vec![];
        let found = loop {
            let next = *self.free.get(at)?;
            if next != at {
                passed.push(at);
                at = next;
            } else if self.rows.get(at).is_some_and(|(_, row)| seen.contains(row)) {
                passed.push(at);
                match at.checked_sub(1) {
                    Some(before) => at = before,
                    None => break None,
                }
            } else {
                break Some(at);
            }
        };
        for place in passed {
            if let Some(free) = self.free.get_mut(place) {
                *free = found.unwrap_or(0);
            }
        }
        found
    }
}
