//! Which of the recorded messages the next request carries.

use std::collections::{HashMap, HashSet};

use super::super::graph::{Generation, Graph};
use super::super::log::Transcript;
use super::super::row::{Id, Kind, Mark, Row};
use super::super::torn::{Lost, Torn};
use super::chain::Walk;
use crate::diagnosis::Messages;
use crate::forecast::History;
use rex_store::jsonl::Fault;

/// How many messages there are, and how far they get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Counts {
    /// All that the log proves to have existed.
    pub(in super::super) recorded: u64,
    /// Those on the path that the client walks.
    pub(in super::super) reachable: u64,
    /// Those that the next request carries whole.
    pub(in super::super) loaded: u64,
    /// Those of which it carries at least a part.
    pub(in super::super) touched: u64,
    /// It carries the summary of a compaction.
    pub(in super::super) has_summary: bool,
    /// The log holds a summary of a compaction, and it carries none.
    pub(in super::super) misses_summary: bool,
}

impl Counts {
    /// How much of `recorded` messages it carries. A summary stands for messages: with one it carries a part of them,
    /// without the one that there is not all.
    pub(in super::super) fn history(self, recorded: u64) -> History {
        match History::of(self.loaded, recorded) {
            History::None if self.touched > 0 || self.has_summary => History::Partial,
            History::Full if self.misses_summary => History::Partial,
            other => other,
        }
    }

    pub(in super::super) fn messages(self) -> Messages {
        Messages {
            recorded: Some(self.recorded),
            reachable: Some(self.reachable),
            loaded: Some(self.loaded),
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Progress {
    rows: u32,
    walked: u32,
    sent: u32,
}

/// Counts the messages of a log, of which the client loads `walk`.
pub(in super::super) fn count(
    log: &Transcript,
    graph: &Graph,
    walk: Option<&Walk>,
    generation: Generation,
) -> Counts {
    let walked = walk
        .map(|walk| reached(graph, walk, generation))
        .unwrap_or_default();
    let sent = sent(graph, &walked, walk, generation);
    let sides = !log
        .rows
        .iter()
        .any(|row| !row.is(Mark::Side) && (row.is_prompt() || row.is_reply()));
    let mut messages: HashMap<(u64, u64), Progress> = HashMap::new();
    for row in &log.rows {
        if row.is(Mark::Side) && !sides || !(row.is_prompt() || row.is_reply()) {
            continue;
        }
        let live = graph
            .find(row.uuid)
            .and_then(|at| Some((at, graph.node(at)?.row)));
        let (key, at) = match live {
            Some((at, live)) if live.offset_bytes == row.offset_bytes && live.digest == row.digest => {
                (identity(row), Some(at))
            }
            // A copy of the row that counts.
            Some((_, live)) if live.digest == row.digest => continue,
            // Another text under the same uuid, which is replaced.
            Some(_) => ((u64::from(row.digest), row.offset_bytes | 1 << 63), None),
            None => (identity(row), None),
        };
        let progress = messages.entry(key).or_default();
        progress.rows += 1;
        progress.walked += u32::from(at.is_some_and(|at| walked.contains(&at)));
        progress.sent += u32::from(at.is_some_and(|at| sent.contains(&at)));
    }
    for (reply, offset) in &log.strangers {
        let key = if *reply == 0 { (*offset, 6) } else { (*reply, 0) };
        messages.entry(key).or_default().rows += 1;
    }
    if ends_in_zeros(log) {
        messages.entry((0, 7)).or_default().rows += 1;
    }
    add_lost(log, &mut messages);
    add_side_records(log, graph, &mut messages);
    let many = |holds: &dyn Fn(&Progress) -> bool| messages.values().filter(|p| holds(p)).count() as u64;
    let has_summary = sent
        .iter()
        .filter_map(|at| graph.node(*at))
        .any(|node| node.row.is(Mark::Summary));
    let is_summary = |row: &Row| row.is(Mark::Summary) && !row.is(Mark::Side);
    Counts {
        recorded: messages.len() as u64,
        reachable: many(&|p| p.walked > 0),
        loaded: many(&|p| p.sent == p.rows),
        touched: many(&|p| p.sent > 0),
        has_summary,
        misses_summary: !has_summary && log.rows.iter().any(is_summary),
    }
}

/// What makes a message one: a reply's id, else the row itself.
fn identity(row: &Row) -> (u64, u64) {
    if row.kind() == Kind::Assistant && row.reply != 0 {
        return (row.reply, 0);
    }
    if row.uuid.is_none() {
        return (row.offset_bytes, 2);
    }
    (row.uuid.low(), 1 | u64::from(row.digest) << 8)
}

/// True where the row that was torn stands in the log whole as well.
fn is_copy(log: &Transcript, torn: &Torn) -> bool {
    let is_same = |row: &&Row| match torn.lost {
        Lost::Nothing => false,
        Lost::Prompt => row.kind() == Kind::User,
        Lost::Reply(_) => row.kind() == Kind::Assistant,
        Lost::Unsaid => row.is_talk(),
    };
    let mut below = log.rows.iter().filter(|row| row.parent == torn.parent);
    !torn.parent.is_none() && below.any(|row| is_same(&row))
}

/// True where zeros follow a prompt that has no reply: what was written there is gone.
fn ends_in_zeros(log: &Transcript) -> bool {
    let mut talk = log.rows.iter().filter(|row| !row.is(Mark::Side)).rev();
    let last = talk.find(|row| row.is_prompt() || row.is_reply());
    last.filter(|row| row.is_prompt()).is_some_and(|prompt| {
        let mut after = log
            .faults
            .iter()
            .filter(|torn| torn.offset_bytes > prompt.offset_bytes);
        after.any(|torn| torn.lost == Lost::Nothing && matches!(torn.fault, Fault::Nul(_)))
    })
}

/// Adds the messages of which only a part is left: torn lines, and replies of which only a tool's answer is left.
fn add_lost(log: &Transcript, messages: &mut HashMap<(u64, u64), Progress>) {
    let mut lost_replies = 0;
    for torn in log.faults.iter().filter(|torn| !is_copy(log, torn)) {
        let key = match torn.lost {
            Lost::Nothing => continue,
            Lost::Reply(id) if id != 0 => (id, 0),
            Lost::Reply(_) | Lost::Prompt | Lost::Unsaid => (torn.offset_bytes, 3),
        };
        lost_replies += u32::from(torn.lost != Lost::Prompt);
        messages.entry(key).or_default().rows += 1;
    }
    let calls: HashSet<u64> = log.tools(Mark::ToolUse).collect();
    let mut callers: HashSet<Id> = HashSet::new();
    let known: HashSet<Id> = log.rows.iter().map(|row| row.uuid).collect();
    for row in log
        .rows
        .iter()
        .filter(|row| row.is(Mark::ToolResult) && !row.is(Mark::Side))
    {
        if row.tool != 0
            && !calls.contains(&row.tool)
            && !known.contains(&row.parent)
            && callers.insert(row.parent)
        {
            match lost_replies.checked_sub(1) {
                // It belongs to a line that is torn.
                Some(rest) => lost_replies = rest,
                None => messages.entry((row.tool, 4)).or_default().rows += 1,
            }
        }
    }
    for row in log
        .rows
        .iter()
        .filter(|row| row.is(Mark::ToolResult) && !row.is(Mark::Side))
    {
        // The call is gone and the rows around it were linked anew: its answer proves it all the same.
        if row.tool != 0 && !calls.contains(&row.tool) && known.contains(&row.parent) {
            messages.entry((row.tool, 4)).or_default().rows += 1;
        }
    }
}

/// Adds prompts of which only a side record is left: their texts are in no row, and a row names a parent that is not
/// there.
fn add_side_records(log: &Transcript, graph: &Graph, messages: &mut HashMap<(u64, u64), Progress>) {
    let mut missing: HashSet<Id> = HashSet::new();
    for node in graph
        .nodes
        .iter()
        .filter(|node| !node.row.is(Mark::Side) && !node.parent.is_none())
    {
        if graph.find(node.parent).is_none() {
            missing.insert(node.parent);
        }
    }
    let torn = log
        .faults
        .iter()
        .filter(|torn| matches!(torn.lost, Lost::Prompt | Lost::Unsaid))
        .count();
    let room = missing.len().saturating_sub(torn);
    let left = log
        .side_prompts
        .iter()
        .filter(|words| !log.prompt_words.contains(words));
    let left: HashSet<u64> = left.copied().collect();
    for words in left.into_iter().take(room) {
        messages.entry((words, 5)).or_default().rows += 1;
    }
}

/// The rows of the walk, and the rows of its replies and their tools' answers that stand beside it.
fn reached(graph: &Graph, walk: &Walk, generation: Generation) -> HashSet<u32> {
    let mut reached: HashSet<u32> = walk.rows.iter().copied().collect();
    if matches!(generation, Generation::Old) {
        return reached;
    }
    let replies: HashSet<u64> = walk
        .rows
        .iter()
        .filter_map(|at| graph.node(*at))
        .filter(|node| node.row.kind() == Kind::Assistant && node.row.reply != 0)
        .map(|node| node.row.reply)
        .collect();
    let mut callers: HashSet<Id> = HashSet::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        if node.row.kind() == Kind::Assistant && replies.contains(&node.row.reply) {
            reached.insert(at as u32);
            callers.insert(node.row.uuid);
        }
    }
    for (at, node) in graph.nodes.iter().enumerate() {
        if node.row.is(Mark::ToolResult) && callers.contains(&node.parent) {
            reached.insert(at as u32);
        }
    }
    reached
}

/// The rows that the request carries: calls without an answer are left out, but for the last ones in newer clients.
fn sent(graph: &Graph, reached: &HashSet<u32>, walk: Option<&Walk>, generation: Generation) -> HashSet<u32> {
    let row = |at: &u32| graph.node(*at).map(|node| node.row);
    let answered: HashSet<u64> = reached
        .iter()
        .filter_map(row)
        .filter(|row| row.is(Mark::ToolResult))
        .map(|row| row.tool)
        .collect();
    let last = walk.and_then(|walk| {
        let mut talk = walk.rows.iter().rev().filter_map(row);
        talk.find(|row| row.is_prompt() || row.kind() == Kind::Assistant)
    });
    reached
        .iter()
        .copied()
        .filter(|at| {
            row(at).is_some_and(|row| {
                let is_open = row.is(Mark::ToolUse) && row.tool != 0 && !answered.contains(&row.tool);
                let is_last = last
                    .is_some_and(|last| last.uuid == row.uuid || last.reply != 0 && last.reply == row.reply);
                let stays = !is_open || generation == Generation::New && is_last;
                stays && !row.lacks_message() && !row.is(Mark::Hollow)
            })
        })
        .collect()
}
