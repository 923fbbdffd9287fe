//! A bot of the model: its line, its run, its clock.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::items::Family;
use super::rows::{Spent, Tip};

/// How a message asks to be delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    Reject,
    Queue,
    Steer,
    Attach,
}

impl Delivery {
    /// The value of `turns.delivery`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reject => "reject",
            Self::Queue => "queue",
            Self::Steer => "steer",
            Self::Attach => "attach",
        }
    }
}

/// What the model means to do with a message in line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    Serve,
    Cancel,
    Fail,
}

/// A message that was sent and has no final row yet.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) number: i64,
    pub(crate) request: String,
    pub(crate) words: String,
    pub(crate) delivery: Delivery,
    pub(crate) plan: Plan,
    pub(crate) expected: Option<i64>,
    pub(crate) workspace: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) reasoning: Option<&'static str>,
    pub(crate) from: Option<(String, i64, i64)>,
    pub(crate) origin: Option<&'static str>,
    pub(crate) quotes: Option<String>,
    pub(crate) pictures: Option<String>,
}

/// What a run is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    Running,
    /// Parked on handles; the value of `turns.waiting`.
    Waiting(String),
    Paced,
}

/// A run that has not ended.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) sent: Sent,
    pub(crate) node: i64,
    pub(crate) started_ms: i64,
    pub(crate) doing: Doing,
    pub(crate) tools_left: i64,
    pub(crate) calls: i64,
    pub(crate) spent: Spent,
    /// Its clock stepped back inside it: it must end before it started.
    pub(crate) has_stepped: bool,
    /// A crash left its row without a start.
    pub(crate) lost_start: bool,
}

/// An event that retention may still take away.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) id: i64,
    pub(crate) kind: &'static str,
    pub(crate) data: String,
}

/// A bot.
#[derive(Clone, Debug)]
pub(crate) struct Bot {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) family: Family,
    pub(crate) tip: Option<Tip>,
    pub(crate) ordinal: i64,
    pub(crate) offset_ms: i64,
    pub(crate) line: VecDeque<Sent>,
    pub(crate) attached: Vec<Sent>,
    pub(crate) run: Option<Run>,
    /// Submissions that still own records.
    pub(crate) retained: BTreeSet<i64>,
    /// Finished submissions that retention still counts.
    pub(crate) finished: BTreeSet<i64>,
    /// Events by submission, where retention keeps only the newest: most are never written.
    pub(crate) events: BTreeMap<i64, Vec<Event>>,
    pub(crate) runs_ended: u64,
    pub(crate) last_run: Option<i64>,
    pub(crate) last_end_ms: Option<i64>,
    pub(crate) status: &'static str,
    pub(crate) input: i64,
    pub(crate) output: i64,
    pub(crate) cached: i64,
    pub(crate) created_by: Option<(String, i64)>,
    pub(crate) context_start: Option<i64>,
    pub(crate) pruned_cursor: i64,
}

impl Bot {
    /// A new bot that has done nothing.
    pub(crate) fn new(id: i64, name: String, family: Family) -> Self {
        Self {
            id,
            name,
            family,
            tip: None,
            ordinal: 0,
            offset_ms: 0,
            line: VecDeque::new(),
            attached: Vec::new(),
            run: None,
            retained: BTreeSet::new(),
            finished: BTreeSet::new(),
            events: BTreeMap::new(),
            runs_ended: 0,
            last_run: None,
            last_end_ms: None,
            status: "idle",
            input: 0,
            output: 0,
            cached: 0,
            created_by: None,
            context_start: None,
            pruned_cursor: 0,
        }
    }

    /// The lowest number that is not finished.
    pub(crate) fn lowest_unfinished(&self) -> Option<i64> {
        let run = self.run.as_ref().map(|run| run.sent.number);
        let in_line = self.line.front().map(|sent| sent.number);
        let attached = self.attached.first().map(|sent| sent.number);
        [run, in_line, attached].into_iter().flatten().min()
    }

    /// Below this number retention takes records: the keep-th newest finished submission, and no unfinished work.
    pub(crate) fn reclaim_below(&self, keep: usize) -> Option<i64> {
        let newest = self.finished.iter().rev().nth(keep.checked_sub(1)?)?;
        Some(
            self.lowest_unfinished()
                .map_or(*newest, |unfinished| unfinished.min(*newest)),
        )
    }
}
