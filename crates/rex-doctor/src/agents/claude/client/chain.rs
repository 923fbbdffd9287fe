//! Which rows the client goes on from: the leaf it picks and the rows it walks up, by generation.

mod near;

use std::collections::{HashMap, HashSet};

use super::super::graph::{Generation, Graph};
use super::super::row::{Id, Kind, Mark, Row};
use near::Near;

/// The longest time between a row and one whose link is broken, in milliseconds.
pub(in super::super) const BRIDGED_MS: i64 = 5000;

/// The rows that the client loads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Walk {
    /// From the first row to the leaf.
    pub(in super::super) rows: Vec<u32>,
    /// Rows whose parent is not there, or comes twice, and which were joined by their times.
    pub(in super::super) bridged: Vec<u32>,
    /// Why the walk ended where it did.
    pub(in super::super) top: Top,
    /// The client never comes to an end.
    pub(in super::super) is_endless: bool,
    /// The conversation was rewound to nothing: it goes on with nothing.
    pub(in super::super) is_cleared: bool,
}

/// Why a walk ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) enum Top {
    /// A row that names no parent.
    #[default]
    Root,
    /// A row whose parent is not there, and none is near enough in time.
    Missing(u32),
    /// A row whose parent was walked before.
    Loop(u32),
}

/// Returns what the client loads; none where it finds nothing to go on from.
pub(in super::super) fn walk(graph: &Graph, generation: Generation) -> Option<Walk> {
    match generation {
        Generation::Old => oldest_rule(graph),
        Generation::Sdk => sdk_rule(graph),
        Generation::Middle | Generation::New => {
            let leaves = leaves(graph, generation);
            let leaf = leaf(graph, &leaves, generation);
            match leaf {
                Some(leaf) => Some(bridged_walk(graph, leaf)),
                None if graph.is_empty && !graph.nodes.is_empty() => Some(Walk {
                    is_cleared: true,
                    ..Walk::default()
                }),
                None => None,
            }
        }
    }
}

/// What `--continue` goes on from where a lookup by id finds nothing: side chains count as well.
pub(in super::super) fn walk_of_any_side(graph: &Graph, generation: Generation) -> Option<Walk> {
    let leaves = leaves(graph, generation);
    let time = |at: &u32| graph.node(*at).map_or(Row::NO_TIME, |node| node.row.time_ms);
    let leaf = leaves.into_iter().max_by_key(time)?;
    let row = graph.node(leaf)?.row;
    let is_lost = generation == Generation::Middle && (row.time_ms == Row::NO_TIME || row.uuid.is_none());
    (!is_lost).then(|| bridged_walk(graph, leaf))
}

/// 2.0.14: the newest row of all, side chains too, and its ancestors.
fn oldest_rule(graph: &Graph) -> Option<Walk> {
    let mut newest: Option<(i64, u32)> = None;
    for (at, node) in graph.nodes.iter().enumerate() {
        if newest.is_none_or(|(time, _)| node.row.time_ms > time) {
            newest = Some((node.row.time_ms, at as u32));
        }
    }
    Some(ancestors(graph, newest?.1))
}

pub(in super::super) fn ancestors(graph: &Graph, leaf: u32) -> Walk {
    let mut walk = Walk::default();
    let mut seen = HashSet::new();
    for at in graph.upwards(leaf) {
        if !seen.insert(at) {
            walk.is_endless = true;
            walk.top = Top::Loop(walk.rows.last().copied().unwrap_or(at));
            break;
        }
        walk.rows.push(at);
    }
    if let (false, Some(at)) = (walk.is_endless, walk.rows.last().copied())
        && graph.node(at).is_some_and(|node| !node.parent.is_none())
    {
        walk.top = Top::Missing(at);
    }
    walk.rows.reverse();
    walk
}

/// The SDK: of the talk rows nearest to the rows without a child, the last in the file; its ancestors, never bridged.
fn sdk_rule(graph: &Graph) -> Option<Walk> {
    let mut leaves = vec![];
    for (at, node) in graph.nodes.iter().enumerate() {
        if !graph.named_parents.contains(&node.row.uuid) {
            let mut seen = HashSet::new();
            let up = graph.upwards(at as u32).take_while(|at| seen.insert(*at));
            leaves.extend(up.into_iter().find(|at| is_talk(graph, *at)));
        }
    }
    let is_main = |at: &u32| {
        graph.node(*at).is_some_and(|node| {
            ![Mark::Side, Mark::Team, Mark::Meta]
                .iter()
                .any(|mark| node.row.is(*mark))
        })
    };
    let place = |at: &u32| graph.node(*at).map(|node| node.row.offset_bytes);
    let main = leaves.iter().copied().filter(is_main).max_by_key(place);
    let leaf = main.or_else(|| leaves.iter().copied().max_by_key(place))?;
    let mut walk = ancestors(graph, leaf);
    walk.is_endless = false;
    Some(walk)
}

fn is_talk(graph: &Graph, at: u32) -> bool {
    graph.node(at).is_some_and(|node| node.row.is_talk())
}

/// The first talk row from `at` upwards.
fn talk_above(graph: &Graph, at: u32) -> Option<u32> {
    let mut seen = HashSet::new();
    graph
        .upwards(at)
        .take_while(|at| seen.insert(*at))
        .find(|at| is_talk(graph, *at))
}

/// The rows that may be the end of the conversation.
fn leaves(graph: &Graph, generation: Generation) -> Vec<u32> {
    if graph.is_empty {
        return vec![];
    }
    let checkpoint = graph.checkpoint;
    let is_explicit = checkpoint.is_some_and(|point| point.is_explicit);
    let named = checkpoint.and_then(|point| graph.find(point.leaf));
    let mut from = named;
    if let (Some(point), Some(last)) = (named, graph.last)
        && !is_explicit
        && point != last
        && goes_on_from(graph, last, point, generation)
    {
        from = Some(last);
    }
    if !graph.ends_on_snapshots || generation == Generation::Middle {
        from = from.or_else(|| inferred(graph, generation));
    }
    if let Some(leaf) = from.and_then(|at| talk_above(graph, at)) {
        return vec![leaf];
    }
    let ends = ends(graph);
    if ends.len() < 2 {
        return ends;
    }
    let stays = named.filter(|named| {
        ends.contains(named)
            && (is_explicit
                || generation == Generation::Middle
                || graph
                    .last
                    .is_none_or(|last| !goes_on_from(graph, last, *named, generation)))
    });
    match stays.or(graph.last) {
        Some(at) => match talk_above(graph, at) {
            Some(leaf) => vec![leaf],
            None => ends,
        },
        None => ends,
    }
}

/// Without a pointer: the last row, or the newest one that goes on from it.
fn inferred(graph: &Graph, generation: Generation) -> Option<u32> {
    let last = graph.last?;
    let newest = graph.newest.unwrap_or(last);
    if generation == Generation::Middle || graph.has_pointers || newest == last {
        return Some(last);
    }
    let mut descends: HashMap<u32, bool> = HashMap::from([(last, true)]);
    let mut best = (i64::MIN, last);
    for (at, node) in graph.nodes.iter().enumerate() {
        let at = at as u32;
        let is_later = !node.row.is(Mark::Side) && at != last && node.row.time_ms >= best.0;
        if is_later && node.row.time_ms != Row::NO_TIME && descends_from(graph, at, &mut descends) {
            best = (node.row.time_ms, at);
        }
    }
    Some(best.1)
}

fn descends_from(graph: &Graph, at: u32, known: &mut HashMap<u32, bool>) -> bool {
    let mut passed = vec![];
    let mut answer = false;
    let mut here = Some(at);
    while let Some(at) = here {
        if let Some(known) = known.get(&at) {
            answer = *known;
            break;
        }
        known.insert(at, false);
        passed.push(at);
        here = graph.parent(at);
    }
    for at in passed {
        known.insert(at, answer);
    }
    answer
}

/// Whether the last row goes on from the row that the pointer names: it descends from it, or from another row of the
/// same reply where the reply called several tools at once.
fn goes_on_from(graph: &Graph, last: u32, point: u32, generation: Generation) -> bool {
    let mut seen = HashSet::new();
    let above: Vec<u32> = graph.upwards(last).take_while(|at| seen.insert(*at)).collect();
    if above.contains(&point) {
        return true;
    }
    if generation == Generation::Middle {
        return false;
    }
    let Some(node) = graph.node(point) else {
        return false;
    };
    let caller = if node.row.kind() == Kind::User && node.row.is(Mark::ToolResult) {
        graph.parent(point)
    } else {
        Some(point)
    };
    let Some(call) = caller.and_then(|at| graph.node(at)).map(|node| node.row) else {
        return false;
    };
    call.is(Mark::ToolUse)
        && call.reply != 0
        && above.iter().filter_map(|at| graph.node(*at)).any(|node| {
            node.row.reply == call.reply && node.row.uuid != call.uuid && node.row.is(Mark::ToolUse)
        })
}

/// Talk rows above rows without a child, that have no talk row below them.
fn ends(graph: &Graph) -> Vec<u32> {
    let mut parents: HashSet<Id> = HashSet::new();
    let mut talk_parents: HashSet<Id> = HashSet::new();
    for node in &graph.nodes {
        if node.row.is(Mark::HasParent) || node.row.is(Mark::ParentAbsent) || !node.parent.is_none() {
            parents.insert(node.parent);
            if node.row.is_talk() {
                talk_parents.insert(node.parent);
            }
        }
    }
    let mut found = vec![];
    for (at, node) in graph.nodes.iter().enumerate() {
        if parents.contains(&node.row.uuid) {
            continue;
        }
        if let Some(leaf) = talk_above(graph, at as u32)
            && graph
                .node(leaf)
                .is_some_and(|leaf| !talk_parents.contains(&leaf.row.uuid))
            && !found.contains(&leaf)
        {
            found.push(leaf);
        }
    }
    found
}

/// Of several leaves, the one of the main conversation with the greatest time.
fn leaf(graph: &Graph, leaves: &[u32], generation: Generation) -> Option<u32> {
    let newest = |nodes: &mut dyn Iterator<Item = u32>| {
        let mut best: Option<(i64, u32)> = None;
        for at in nodes {
            let time = graph.node(at).map_or(Row::NO_TIME, |node| node.row.time_ms);
            if best.is_none_or(|(best, _)| time > best) {
                best = Some((time, at));
            }
        }
        best.map(|(_, at)| at)
    };
    let is_main = |at: &u32| graph.node(*at).is_some_and(|node| !node.row.is(Mark::Side));
    let is_dated = |at: &u32| {
        // 2.1.197 compares times, and what is none is never the greatest.
        let row = graph.node(*at).map(|node| node.row);
        generation != Generation::Middle || row.is_some_and(|row| row.time_ms != Row::NO_TIME)
    };
    let mut ordered: Vec<u32> = leaves
        .iter()
        .copied()
        .filter(|at| is_main(at) && is_dated(at))
        .collect();
    ordered.sort_unstable();
    let chosen = newest(&mut ordered.into_iter());
    if chosen.is_some() || !leaves.is_empty() || graph.is_empty {
        return chosen;
    }
    let all = || (0..graph.nodes.len() as u32).filter(is_main);
    let is_snapshot = |at: &u32| graph.node(*at).is_some_and(|node| node.row.is(Mark::Snapshot));
    let plain = newest(&mut all().filter(|at| generation == Generation::Middle || !is_snapshot(at)));
    plain.or_else(|| newest(&mut all()))
}

fn bridged_walk(graph: &Graph, leaf: u32) -> Walk {
    let mut walk = Walk::default();
    let mut seen = HashSet::new();
    let mut near = Near::default();
    let mut here = leaf;
    loop {
        seen.insert(here);
        walk.rows.push(here);
        let Some(node) = graph.node(here) else { break };
        if node.parent.is_none() {
            break;
        }
        let parent = graph.find(node.parent);
        if let Some(parent) = parent.filter(|parent| !seen.contains(parent)) {
            here = parent;
        } else if let Some(bridge) = near.before(graph, here, &seen) {
            walk.bridged.push(here);
            here = bridge;
        } else {
            walk.top = if parent.is_some() {
                Top::Loop(here)
            } else {
                Top::Missing(here)
            };
            break;
        }
    }
    walk.rows.reverse();
    walk
}
