//! Counts the messages of a conversation while its records go by: which existed, which the client walks over, and which
//! its next request carries. Memory grows by four bytes a turn.

use super::rollout::{Item, Line, Record, Replacement, Role};

/// Prompts and replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Prompts of the person.
    pub(super) prompts: u64,
    /// Replies of the model.
    pub(super) replies: u64,
}

impl Tally {
    /// Both together.
    pub(super) fn sum(self) -> u64 {
        self.prompts + self.replies
    }

    /// The greater of each.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            prompts: self.prompts.max(other.prompts),
            replies: self.replies.max(other.replies),
        }
    }

    /// What is left of this without the other.
    pub(super) fn minus(self, other: Self) -> Self {
        Self {
            prompts: self.prompts.saturating_sub(other.prompts),
            replies: self.replies.saturating_sub(other.replies),
        }
    }

    /// Both.
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            prompts: self.prompts + other.prompts,
            replies: self.replies + other.replies,
        }
    }

    fn add(&mut self, role: Role) {
        match role {
            Role::User => self.prompts += 1,
            Role::Assistant => self.replies += 1,
        }
    }
}

/// What one turn holds.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    readable: Tally,
    torn: Tally,
    shown: Tally,
    has_reply_text: bool,
    has_gap: bool,
}

impl Turn {
    /// The messages that the turn proves to have existed: those that read, those that are torn, and those that only a
    /// side record shows. A reply to nothing, where numbers are missing, proves a prompt.
    fn recorded(&self) -> Tally {
        let told = Tally {
            prompts: 0,
            replies: u64::from(self.has_reply_text),
        };
        let mut tally = self.readable.plus(self.torn).or(self.shown).or(told);
        if tally.prompts == 0 && tally.replies > 0 && self.has_gap {
            tally.prompts = 1;
        }
        tally
    }

    fn is_empty(&self) -> bool {
        self.recorded() == Tally::default()
    }
}

/// A turn in the client's context, small enough for millions.
#[derive(Clone, Copy, Debug, Default)]
struct Carried {
    prompts: u16,
    replies: u16,
}

impl Carried {
    fn of(tally: Tally) -> Self {
        let small = |count: u64| u16::try_from(count).unwrap_or(u16::MAX);
        Self {
            prompts: small(tally.prompts),
            replies: small(tally.replies),
        }
    }

    fn tally(self) -> Tally {
        Tally {
            prompts: self.prompts.into(),
            replies: self.replies.into(),
        }
    }
}

/// The conversation as far as it has gone by.
#[derive(Clone, Debug, Default)]
pub(super) struct Conversation {
    recorded: Tally,
    taken_back: Tally,
    readable: Tally,
    base: Tally,
    turns: Vec<Carried>,
    current: Turn,
    last_ordinal: Option<u64>,
    highest_ordinal: Option<u64>,
    is_repeat: bool,
    facts: Facts,
}

/// What else the records say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// Lines that the client takes.
    pub(super) records: u64,
    /// Lines that it skips because they do not parse.
    pub(super) rejected: u64,
    /// Torn messages.
    pub(super) torn: u64,
    /// The folder of the last turn.
    pub(super) cwd: Option<String>,
    /// Turns that were taken back on purpose.
    pub(super) rolled_back: u64,
    /// Compactions.
    pub(super) compactions: u64,
    /// True where the last compaction kept no prompt of the person.
    pub(super) compacted_without_prompt: bool,
    /// True where a turn began and no record says that it ended.
    pub(super) has_open_turn: bool,
    /// Numbers that are missing between two records.
    pub(super) ordinal_gaps: u64,
    /// Numbers that do not rise.
    pub(super) ordinal_repeats: u64,
}

/// What the records add up to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// All messages that the records prove to have existed.
    pub(super) recorded: Tally,
    /// Those that read and were not taken back.
    pub(super) reachable: Tally,
    /// Those that were taken back on purpose.
    pub(super) taken_back: Tally,
    /// Those that the next request carries.
    pub(super) loaded: Tally,
    /// What else the records say.
    pub(super) facts: Facts,
}

impl Conversation {
    /// Takes the next line.
    pub(super) fn take(&mut self, line: &Line) {
        match line {
            Line::Blank => {}
            Line::Rejected(role) => {
                self.facts.rejected += 1;
                if let Some(role) = role {
                    self.facts.torn += 1;
                    self.current.torn.add(*role);
                }
            }
            Line::Record(record) => {
                self.facts.records += 1;
                self.number(record);
                self.item(&record.item);
            }
        }
    }

    fn number(&mut self, record: &Record) {
        self.is_repeat = record.ordinal.is_some() && record.ordinal <= self.highest_ordinal;
        let Some(ordinal) = record.ordinal else { return };
        self.highest_ordinal = self.highest_ordinal.max(Some(ordinal));
        if let Some(last) = self.last_ordinal {
            if ordinal > last + 1 {
                self.current.has_gap = true;
                self.facts.ordinal_gaps += 1;
            } else if ordinal <= last {
                self.facts.ordinal_repeats += 1;
            }
        }
        self.last_ordinal = Some(ordinal);
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Message(role) => {
                if *role == Role::User && self.current.readable.replies > 0 && !self.facts.has_open_turn {
                    self.close();
                }
                self.current.readable.add(*role);
            }
            // The side record of a message that went by before proves no other one.
            Item::Shown(_) if self.is_repeat => {}
            Item::Shown(role) => self.current.shown.add(*role),
            Item::TurnStarted => {
                self.close();
                self.facts.has_open_turn = true;
            }
            Item::TurnEnded(has_reply_text) => {
                self.current.has_reply_text |= *has_reply_text && !self.is_repeat;
                self.close();
                self.facts.has_open_turn = false;
            }
            Item::RolledBack(turns) => self.roll_back(*turns),
            Item::Compacted(kept) => self.compact(*kept),
            Item::TurnContext(cwd) => {
                if cwd.is_some() {
                    self.facts.cwd.clone_from(cwd);
                }
            }
            Item::Meta | Item::Response | Item::Other => {}
        }
    }

    fn close(&mut self) {
        let turn = std::mem::take(&mut self.current);
        if turn.is_empty() {
            return;
        }
        self.recorded = self.recorded.plus(turn.recorded());
        self.readable = self.readable.plus(turn.readable);
        self.turns.push(Carried::of(turn.readable));
    }

    /// Drops the last turns that hold a prompt, and whatever lies between them and the end; of what a compaction kept,
    /// a prompt counts as a turn.
    fn roll_back(&mut self, turns: u64) {
        self.close();
        self.facts.rolled_back += turns;
        let mut left = turns;
        while left > 0 {
            let Some(turn) = self.turns.pop() else { break };
            self.taken_back = self.taken_back.plus(turn.tally());
            if turn.prompts > 0 {
                left -= 1;
            }
        }
        if left > 0 {
            let before = self.base;
            self.base.prompts = before.prompts.saturating_sub(left);
            if self.base.prompts == 0 {
                self.base.replies = 0;
            }
        }
    }

    fn compact(&mut self, kept: Option<Replacement>) {
        self.close();
        self.facts.compactions += 1;
        let all = self.carried();
        self.base = match kept {
            Some(kept) => Tally {
                prompts: kept.prompts,
                replies: kept.replies,
            },
            // Where the record leaves it to the client, it keeps the prompts and puts the summary for the replies.
            None => Tally {
                prompts: all.prompts,
                replies: 0,
            },
        };
        self.facts.compacted_without_prompt = all.prompts > 0 && self.base.prompts == 0;
        self.turns.clear();
    }

    fn carried(&self) -> Tally {
        self.turns
            .iter()
            .fold(self.base, |sum, turn| sum.plus(turn.tally()))
    }

    /// The sums at the end.
    pub(super) fn count(mut self) -> Count {
        self.close();
        let loaded = self.carried();
        Count {
            recorded: self.recorded.or(loaded),
            reachable: self.readable.minus(self.taken_back),
            taken_back: self.taken_back,
            loaded,
            facts: self.facts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(ordinal: u64, item: Item) -> Line {
        Line::Record(Record {
            ordinal: Some(ordinal),
            item,
        })
    }

    fn turn() -> Vec<Item> {
        vec![
            Item::TurnStarted,
            Item::Response,
            Item::Message(Role::User),
            Item::Shown(Role::User),
            Item::Shown(Role::Assistant),
            Item::Message(Role::Assistant),
            Item::TurnEnded(true),
        ]
    }

    fn count(lines: impl IntoIterator<Item = Line>) -> Count {
        let mut conversation = Conversation::default();
        for line in lines {
            conversation.take(&line);
        }
        conversation.count()
    }

    fn numbered(items: Vec<Item>) -> Vec<Line> {
        items
            .into_iter()
            .enumerate()
            .map(|(at, item)| record(at as u64, item))
            .collect()
    }

    #[test]
    fn what_existed_is_told_from_what_the_next_request_carries() {
        let turns = |count: usize| {
            std::iter::repeat_with(turn)
                .take(count)
                .flatten()
                .collect::<Vec<_>>()
        };
        let then = |mut items: Vec<Item>, more: Item| {
            items.push(more);
            items
        };
        let kept = |prompts, replies| Item::Compacted(Some(Replacement { prompts, replies }));
        for (name, items, recorded, reachable, loaded) in [
            ("whole", turns(3), 6, 6, 6),
            (
                "last turn taken back",
                then(turns(2), Item::RolledBack(1)),
                4,
                2,
                2,
            ),
            (
                "more taken back than there is",
                then(turns(2), Item::RolledBack(9)),
                4,
                0,
                0,
            ),
            ("compacted to nothing", then(turns(2), kept(0, 0)), 4, 4, 0),
            ("compacted to a prompt", then(turns(2), kept(1, 0)), 4, 4, 1),
            (
                "the client builds the replacement",
                then(turns(2), Item::Compacted(None)),
                4,
                4,
                2,
            ),
            (
                "a compaction and a turn after it",
                [then(turns(1), kept(0, 0)), turn()].concat(),
                4,
                4,
                2,
            ),
            (
                "a turn after a compaction is taken back",
                [then(turns(1), kept(1, 0)), then(turn(), Item::RolledBack(1))].concat(),
                4,
                2,
                1,
            ),
        ] {
            let count = count(numbered(items));
            let sums = (count.recorded.sum(), count.reachable.sum(), count.loaded.sum());
            assert_eq!(sums, (recorded, reachable, loaded), "{name}");
        }
    }

    #[test]
    fn lost_messages_are_proven_by_side_records_torn_lines_and_missing_numbers() {
        let without = |lost: &[usize]| {
            let lines = numbered(turn()).into_iter().enumerate();
            lines
                .filter(|(at, _)| !lost.contains(at))
                .map(|(_, line)| line)
                .collect::<Vec<_>>()
        };
        for (name, lines, recorded, loaded) in [
            ("the prompt's item is gone", without(&[2]), 2, 1),
            ("the prompt is gone from both", without(&[2, 3]), 2, 1),
            ("the reply is gone from both", without(&[4, 5]), 2, 1),
            ("only side records are left", without(&[2, 5]), 2, 0),
        ] {
            let count = count(lines);
            assert_eq!(
                (count.recorded.sum(), count.loaded.sum()),
                (recorded, loaded),
                "{name}"
            );
        }
        let tail_twice = [numbered(turn()), numbered(turn()).split_off(3)].concat();
        let sums = count(tail_twice);
        assert_eq!((sums.recorded.sum(), sums.loaded.sum()), (3, 3));
        let torn = [record(0, Item::TurnStarted), Line::Rejected(Some(Role::User))];
        let count = count(torn);
        assert_eq!(
            (
                count.recorded.sum(),
                count.loaded.sum(),
                count.facts.has_open_turn
            ),
            (1, 0, true)
        );
    }

    #[test]
    fn files_without_turn_records_are_told_apart_by_prompts() {
        let both = [Item::Message(Role::User), Item::Message(Role::Assistant)];
        let items = [both.to_vec(), both.to_vec(), vec![Item::RolledBack(1)]].concat();
        let count = count(numbered(items));
        assert_eq!((count.recorded.sum(), count.loaded.sum()), (4, 2));
    }
}
