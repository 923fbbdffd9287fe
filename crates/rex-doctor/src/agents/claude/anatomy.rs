//! How a log hangs together, by offsets in the file: what checks judge. It is measured on the rows that one generation
//! of the client holds.

use std::collections::{HashMap, HashSet};

use super::client::chain::{Top, Walk};
use super::graph::{Graph, Node};
use super::log::Transcript;
use super::row::{Id, Kind, Mark, Row};

/// A link that leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Break {
    pub(super) offset_bytes: u64,
    /// How much older the nearest row before it is; none where nothing is before it.
    pub(super) gap_ms: Option<i64>,
    /// The client joined the two parts by their times.
    pub(super) is_bridged: bool,
}

/// What a log is made of, and where it does not hang together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Anatomy {
    pub(super) breaks: Vec<Break>,
    /// Where the walk ends on a root that is neither the first row nor a compaction.
    pub(super) extra_root: Option<u64>,
    /// A compaction starts the part that is loaded.
    pub(super) compaction: Option<u64>,
    /// The conversation was rewound: rows were left behind before the next ones were written.
    pub(super) rewound: Option<u64>,
    /// Two writers went on from one row at the same time.
    pub(super) branches: Option<(u64, u64)>,
    /// Rows with the uuid of an earlier one and another content: the two offsets.
    pub(super) duplicates: Vec<(u64, u64)>,
    pub(super) rows_without_uuid: u64,
    /// A row whose parents lead back to it.
    pub(super) parent_loop: Option<u64>,
    /// Calls without an answer, and answers without a call.
    pub(super) open_tools: Vec<u64>,
    /// Rows whose message is not there.
    pub(super) malformed: Vec<u64>,
    /// Prompts whose message is not there.
    pub(super) empty_prompts: Vec<u64>,
}

impl Anatomy {
    pub(super) fn of(log: &Transcript, graph: &Graph, walk: Option<&Walk>) -> Self {
        let main = || {
            log.rows
                .iter()
                .filter(|row| !row.is(Mark::Side) && row.kind() != Kind::Progress)
        };
        let offsets = |holds: &dyn Fn(&Row) -> bool| -> Vec<u64> {
            main()
                .filter(|row| holds(row))
                .map(|row| row.offset_bytes)
                .take(100)
                .collect()
        };
        let mut anatomy = Self {
            duplicates: duplicates(log),
            rows_without_uuid: main().filter(|row| row.is(Mark::UuidBad)).count() as u64,
            parent_loop: parent_loop(graph),
            open_tools: open_tools(log),
            malformed: offsets(&|row| row.is_talk() && row.lacks_message()),
            empty_prompts: offsets(&|row| {
                row.kind() == Kind::User && row.lacks_message() && !row.is(Mark::Meta)
            }),
            ..Self::default()
        };
        if let Some(walk) = walk.filter(|walk| !walk.is_cleared) {
            anatomy.look_at_walk(graph, walk);
        }
        anatomy.rewound = anatomy.rewound.filter(|_| anatomy.rows_without_uuid == 0);
        anatomy
    }

    fn look_at_walk(&mut self, graph: &Graph, walk: &Walk) {
        let row = |at: u32| graph.node(at).map(|node| node.row);
        for at in &walk.bridged {
            self.breaks.extend(broken(graph, *at, true));
        }
        let first = walk.rows.first().copied().and_then(row);
        match walk.top {
            Top::Missing(at) => self.breaks.extend(broken(graph, at, false)),
            Top::Loop(_) => {}
            Top::Root => {
                let before = |node: &&Node| {
                    let row = node.row;
                    first.is_some_and(|first| row.offset_bytes < first.offset_bytes)
                        && row.is_talk()
                        && !row.is(Mark::Side)
                };
                let leaves_rows = graph.nodes.iter().find(before).is_some();
                match first {
                    Some(first) if first.is(Mark::Boundary) => self.compaction = Some(first.offset_bytes),
                    Some(first) if leaves_rows && first.is_talk() => {
                        self.extra_root = Some(first.offset_bytes);
                    }
                    Some(_) | None => {}
                }
            }
        }
        self.look_beside(graph, walk);
    }

    /// Looks for rows that hang on the walk and are not on it.
    fn look_beside(&mut self, graph: &Graph, walk: &Walk) {
        let on: HashSet<u32> = walk.rows.iter().copied().collect();
        let replies: HashSet<u64> = walk
            .rows
            .iter()
            .filter_map(|at| graph.node(*at))
            .map(|node| node.row.reply)
            .filter(|reply| *reply != 0)
            .collect();
        let mut next: HashMap<Id, Row> = HashMap::new();
        for pair in walk.rows.windows(2) {
            if let [above, below] = pair
                && let (Some(above), Some(below)) = (graph.node(*above), graph.node(*below))
            {
                next.insert(above.row.uuid, below.row);
            }
        }
        for (at, node) in graph.nodes.iter().enumerate() {
            let row = node.row;
            let is_beside =
                !on.contains(&(at as u32)) && (row.is_prompt() || row.is_reply()) && !row.is(Mark::Side);
            if !is_beside || replies.contains(&row.reply) && row.reply != 0 {
                continue;
            }
            let Some(root) = branch_root(graph, at as u32, &on) else {
                continue;
            };
            let Some(sibling) = graph.node(root).and_then(|root| next.get(&root.parent)) else {
                // It hangs on the leaf itself: the conversation was rewound to there.
                self.rewound.get_or_insert(row.offset_bytes);
                continue;
            };
            if row.time_ms > sibling.time_ms && row.time_ms != Row::NO_TIME {
                self.branches
                    .get_or_insert((row.offset_bytes, sibling.offset_bytes));
            } else {
                self.rewound.get_or_insert(row.offset_bytes);
            }
        }
    }
}

/// The row of that branch whose parent is on the walk.
fn branch_root(graph: &Graph, at: u32, on: &HashSet<u32>) -> Option<u32> {
    let mut below = at;
    for above in graph.upwards(at).skip(1) {
        if on.contains(&above) {
            return Some(below);
        }
        below = above;
    }
    None
}

fn broken(graph: &Graph, at: u32, is_bridged: bool) -> Option<Break> {
    let row = graph.node(at)?.row;
    let earlier = graph.nodes.iter().map(|node| node.row).filter(|other| {
        other.side() == row.side() && other.offset_bytes < row.offset_bytes && other.time_ms != Row::NO_TIME
    });
    let nearest = earlier
        .map(|other| row.time_ms.saturating_sub(other.time_ms))
        .filter(|gap| *gap >= 0)
        .min();
    Some(Break {
        offset_bytes: row.offset_bytes,
        gap_ms: nearest.filter(|_| row.time_ms != Row::NO_TIME),
        is_bridged,
    })
}

fn duplicates(log: &Transcript) -> Vec<(u64, u64)> {
    let mut first: HashMap<Id, (u64, u32)> = HashMap::new();
    let mut found = vec![];
    for row in log
        .rows
        .iter()
        .filter(|row| !row.is(Mark::UuidBad) && row.kind() != Kind::Progress)
    {
        match first.get(&row.uuid) {
            Some((offset, digest)) if *digest != row.digest && found.len() < 100 => {
                found.push((*offset, row.offset_bytes));
            }
            Some(_) => {}
            None => {
                first.insert(row.uuid, (row.offset_bytes, row.digest));
            }
        }
    }
    found
}

/// A row whose ancestors lead back to it; each row is passed once.
fn parent_loop(graph: &Graph) -> Option<u64> {
    let mut walked: Vec<u32> = vec![0; graph.nodes.len()];
    for start in 0..graph.nodes.len() as u32 {
        let mut here = Some(start);
        while let Some(at) = here {
            let mark = walked.get_mut(at as usize)?;
            if *mark == start + 1 {
                return graph.node(at).map(|node| node.row.offset_bytes);
            }
            if *mark != 0 {
                break;
            }
            *mark = start + 1;
            here = graph.parent(at);
        }
    }
    None
}

fn open_tools(log: &Transcript) -> Vec<u64> {
    let calls: HashSet<u64> = log.tools(Mark::ToolUse).collect();
    let answers: HashSet<u64> = log.tools(Mark::ToolResult).collect();
    let is_open = |row: &&Row| {
        let other = if row.is(Mark::ToolUse) { &answers } else { &calls };
        (row.is(Mark::ToolUse) || row.is(Mark::ToolResult)) && row.tool != 0 && !other.contains(&row.tool)
    };
    let open = log.rows.iter().filter(|row| !row.is(Mark::Side)).filter(is_open);
    open.map(|row| row.offset_bytes).take(100).collect()
}
