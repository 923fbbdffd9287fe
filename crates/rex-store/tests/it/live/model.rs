//! The write path against a model in memory: whatever is done in whatever order, both say the same.
#![expect(clippy::indexing_slicing, reason = "a test may panic: that is how it fails")]

use std::collections::BTreeMap;

use MessageStatus::{Attached, Failed, Queued, Ready, Taken, Withdrawn};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use rex_store::daemon::{
    End, Message, MessageStatus, NewBot, Next, Refusal, Request, Resent, RunStatus, Submitted, Turn, Waiting,
};
use rex_store::error::StoreError;

use super::{BOT, Store};

const BOTS: [&str; 3] = ["Bob", "Eve", "Mia"];
const DELIVERIES: [&str; 4] = ["reject", "queue", "steer", "attach"];
const SLOTS: usize = 2;

/// One thing that an application does; the numbers choose among what there is.
#[derive(Clone, Debug)]
enum Act {
    Submit {
        bot: usize,
        delivery: usize,
        is_strict: bool,
        is_elsewhere: bool,
        is_long: bool,
    },
    Resend {
        which: usize,
    },
    StartNext,
    TakeIn {
        bot: usize,
    },
    Withdraw {
        which: usize,
    },
    Park {
        bot: usize,
    },
    Resume {
        bot: usize,
    },
    End {
        bot: usize,
        how: usize,
    },
    Recover,
}

fn act() -> impl Strategy<Value = Act> {
    let bot = 0..BOTS.len();
    prop_oneof![
        8 => (bot.clone(), 0..4_usize, prop::bool::weighted(0.2), prop::bool::weighted(0.2), prop::bool::weighted(0.1))
            .prop_map(|(bot, delivery, is_strict, is_elsewhere, is_long)| Act::Submit {
                bot, delivery, is_strict, is_elsewhere, is_long
            }),
        1 => any::<usize>().prop_map(|which| Act::Resend { which }),
        3 => Just(Act::StartNext),
        3 => bot.clone().prop_map(|bot| Act::TakeIn { bot }),
        2 => any::<usize>().prop_map(|which| Act::Withdraw { which }),
        1 => bot.clone().prop_map(|bot| Act::Park { bot }),
        1 => bot.clone().prop_map(|bot| Act::Resume { bot }),
        3 => (bot, 0..3_usize).prop_map(|(bot, how)| Act::End { bot, how }),
        1 => Just(Act::Recover),
    ]
}

#[derive(Clone, Debug)]
struct Sent {
    bot: usize,
    delivery: usize,
    expected: Option<i64>,
    is_elsewhere: bool,
    words: String,
    status: MessageStatus,
    turn: Option<i64>,
}

#[derive(Clone, Debug, Default)]
struct Model {
    sent: BTreeMap<i64, Sent>,
    runs: BTreeMap<i64, RunStatus>,
    current: [Option<i64>; 3],
    lineage: [Vec<i64>; 3],
}

impl Model {
    fn line(&self, bot: usize, status: MessageStatus) -> Vec<i64> {
        let in_line = self
            .sent
            .iter()
            .filter(|(_, sent)| sent.bot == bot && sent.status == status);
        in_line.map(|(number, _)| *number).collect()
    }

    fn has_free_slot(&self) -> bool {
        self.runs
            .values()
            .filter(|status| **status == RunStatus::Running)
            .count()
            < SLOTS
    }

    fn set(&mut self, number: i64, status: MessageStatus, turn: Option<i64>) {
        let sent = self.sent.get_mut(&number).unwrap();
        (sent.status, sent.turn) = (status, turn);
        if turn.is_some() {
            let bot = sent.bot;
            self.lineage[bot].push(number);
        }
    }

    /// Where a new message goes; `None` if it starts.
    fn place(&self, sent: &Sent) -> Result<Option<MessageStatus>, Refusal> {
        let is_busy = self.current[sent.bot].is_some() || !self.line(sent.bot, Ready).is_empty();
        let delivery = DELIVERIES[sent.delivery];
        if delivery == "reject" && is_busy {
            return Err(Refusal::BotBusy);
        }
        if sent.expected.is_some() && delivery != "steer" {
            return Err(Refusal::ExpectedTurnMisplaced);
        }
        if sent.expected.is_some() && sent.expected != self.current[sent.bot] {
            return Err(Refusal::StaleTurn);
        }
        match (delivery, is_busy, self.has_free_slot()) {
            ("attach", _, _) => Ok(Some(Attached)),
            (_, true, _) => Ok(Some(Queued)),
            (_, false, true) => Ok(None),
            ("reject", false, false) => Err(Refusal::ActiveAgentLimit),
            (_, false, false) => Ok(Some(Ready)),
        }
    }

    fn start(&mut self, number: i64) {
        let bot = self.sent[&number].bot;
        self.set(number, Taken, Some(number));
        self.runs.insert(number, RunStatus::Running);
        self.current[bot] = Some(number);
        let riding = self
            .line(bot, Attached)
            .into_iter()
            .filter(|attached| *attached < number);
        for attached in riding.collect::<Vec<_>>() {
            self.set(attached, Taken, Some(number));
        }
    }

    fn take_in(&mut self, run: i64) -> Vec<i64> {
        let (bot, is_elsewhere) = (self.sent[&run].bot, self.sent[&run].is_elsewhere);
        let fits = |(_, sent): &(&i64, &Sent)| {
            let folder = if is_elsewhere { true } else { !sent.is_elsewhere };
            sent.bot == bot
                && sent.status == Queued
                && sent.delivery == 2
                && folder
                && sent.expected.is_none_or(|expected| expected == run)
        };
        let taken: Vec<i64> = self.sent.iter().filter(fits).map(|(number, _)| *number).collect();
        for number in &taken {
            self.set(*number, Taken, Some(run));
        }
        taken
    }

    fn promote(&mut self, bot: usize) -> Option<i64> {
        for number in self.line(bot, Queued) {
            if self.sent[&number].expected.is_none() {
                self.set(number, Ready, None);
                return Some(number);
            }
            self.set(number, Failed, None);
        }
        None
    }

    fn end(&mut self, run: i64, status: RunStatus) -> Option<i64> {
        let bot = self.sent[&run].bot;
        self.runs.insert(run, status);
        self.current[bot] = None;
        self.promote(bot)
    }
}

/// The store and the model, side by side.
struct Both {
    store: Store,
    model: Model,
    acts: usize,
}

type Verdict = Result<(), TestCaseError>;

impl Both {
    fn new() -> Self {
        let mut store = Store::new(SLOTS as u32);
        for name in &BOTS[1..] {
            store
                .writer
                .create_bot(&NewBot {
                    name,
                    family: "messages",
                    ..BOT
                })
                .unwrap();
        }
        let (model, acts) = (Model::default(), 0);
        Self { store, model, acts }
    }

    fn act(&mut self, act: &Act) -> Verdict {
        self.acts += 1;
        match *act {
            Act::Submit { .. } => self.submit(act),
            Act::Resend { which } => self.resend(which),
            Act::StartNext => self.start_next(),
            Act::TakeIn { bot } => self.take_in(bot),
            Act::Withdraw { which } => self.withdraw(which),
            Act::Park { bot } => self.park(bot, RunStatus::Running, RunStatus::Waiting),
            Act::Resume { bot } => self.park(bot, RunStatus::Waiting, RunStatus::Running),
            Act::End { bot, how } => self.end(bot, how),
            Act::Recover => self.recover(),
        }
    }

    fn submit(&mut self, act: &Act) -> Verdict {
        let Act::Submit {
            bot,
            delivery,
            is_strict,
            is_elsewhere,
            is_long,
        } = *act
        else {
            return Ok(());
        };
        let words = format!("{} {}", self.acts, "x".repeat(if is_long { 5000 } else { 0 }));
        let expected = is_strict.then(|| self.model.current[bot].unwrap_or(1));
        let (status, turn) = (Queued, None);
        let sent = Sent {
            bot,
            delivery,
            expected,
            is_elsewhere,
            words,
            status,
            turn,
        };
        let done = self.store.writer.submit(&request(&sent), 1);
        match self.model.place(&sent) {
            Err(refusal) => prop_assert_eq!(refused(done), Some(refusal)),
            Ok(place) => {
                let number = match (place, done.unwrap()) {
                    (None, Submitted::Started { turn }) => turn,
                    (Some(expected), Submitted::InLine { number, status }) if status == expected => number,
                    other => return Err(TestCaseError::fail(format!("{other:?}"))),
                };
                self.model.sent.insert(
                    number,
                    Sent {
                        status: place.unwrap_or(Taken),
                        ..sent
                    },
                );
                if place.is_none() {
                    self.model.start(number);
                }
            }
        }
        Ok(())
    }

    fn chosen(&self, which: usize) -> Option<(i64, Sent)> {
        let sent = &self.model.sent;
        sent.iter()
            .nth(which.checked_rem(sent.len())?)
            .map(|(number, sent)| (*number, sent.clone()))
    }

    fn resend(&mut self, which: usize) -> Verdict {
        let Some((number, sent)) = self.chosen(which) else {
            return Ok(());
        };
        let turn = sent.turn.filter(|turn| *turn == number);
        let before = self.store.writer.connection().total_changes();
        let done = self.store.writer.submit(&request(&sent), 1).unwrap();
        prop_assert_eq!(done, Submitted::Resent(Resent { number, turn }));
        prop_assert_eq!(self.store.writer.connection().total_changes(), before);
        Ok(())
    }

    fn start_next(&mut self) -> Verdict {
        let ready = self.model.sent.iter().find(|(_, sent)| sent.status == Ready);
        let ready = ready
            .map(|(number, sent)| (*number, sent.bot))
            .filter(|_| self.model.has_free_slot());
        let expected = ready.map(|(turn, bot)| Next::Started {
            bot: BOTS[bot].to_owned(),
            turn,
        });
        prop_assert_eq!(self.store.writer.start_next(2).unwrap(), expected);
        if let Some((number, _)) = ready {
            self.model.start(number);
        }
        Ok(())
    }

    fn take_in(&mut self, bot: usize) -> Verdict {
        let Some(run) = self.model.current[bot] else {
            return Ok(());
        };
        let done = self.store.writer.take_in(run, 3);
        if self.model.runs[&run] != RunStatus::Running {
            prop_assert!(refused(done.map(|_| ())).is_some());
            return Ok(());
        }
        prop_assert_eq!(done.unwrap().messages, self.model.take_in(run));
        Ok(())
    }

    fn withdraw(&mut self, which: usize) -> Verdict {
        let Some((number, sent)) = self.chosen(which) else {
            return Ok(());
        };
        let done = self.store.writer.withdraw(BOTS[sent.bot], number, 4);
        if !matches!(sent.status, Queued | Attached | Ready) {
            prop_assert_eq!(refused(done.map(|_| ())), Some(Refusal::MessageNotInLine));
            return Ok(());
        }
        self.model.set(number, Withdrawn, None);
        let next = if sent.status == Ready {
            self.model.promote(sent.bot)
        } else {
            None
        };
        prop_assert_eq!(done.unwrap(), next);
        Ok(())
    }

    fn park(&mut self, bot: usize, from: RunStatus, to: RunStatus) -> Verdict {
        let Some(run) = self.model.current[bot] else {
            return Ok(());
        };
        let waiting = Waiting {
            call_id: "c",
            handles: &["Bob/1"],
            deadline_ms: None,
            any: false,
            pending: None,
        };
        let done = match to {
            RunStatus::Waiting => self.store.writer.park(run, &waiting),
            _ => self.store.writer.resume(run),
        };
        if self.model.runs[&run] == from {
            done.unwrap();
            self.model.runs.insert(run, to);
        } else {
            prop_assert!(refused(done).is_some());
        }
        Ok(())
    }

    fn end(&mut self, bot: usize, how: usize) -> Verdict {
        let Some(run) = self.model.current[bot] else {
            return Ok(());
        };
        let failed = End::Failed {
            error: "provider_error",
            detail: None,
        };
        let (end, status) = [
            (End::Completed, RunStatus::Completed),
            (failed, RunStatus::Failed),
            (End::Interrupted, RunStatus::Interrupted),
        ][how];
        let done = self.store.writer.finish(run, end, 5);
        if end == End::Completed && self.model.runs[&run] == RunStatus::Waiting {
            prop_assert_eq!(
                refused(done.map(|_| ())),
                Some(Refusal::TurnState { found: "waiting" })
            );
            return Ok(());
        }
        let ready = self.model.end(run, status);
        prop_assert_eq!(done.unwrap(), ready);
        Ok(())
    }

    fn recover(&mut self) -> Verdict {
        let runs = self
            .model
            .runs
            .iter()
            .filter(|(_, status)| **status == RunStatus::Running);
        let running: Vec<i64> = runs.map(|(run, _)| *run).collect();
        let recovered = self.store.writer.recover(6).unwrap();
        let ready: Vec<i64> = running
            .iter()
            .filter_map(|run| self.model.end(*run, RunStatus::Interrupted))
            .collect();
        prop_assert_eq!((recovered.interrupted, recovered.ready), (running, ready));
        Ok(())
    }

    /// Every row says what the model says, and the lineage of each bot holds its messages in the order they came.
    fn compare(&mut self) -> Verdict {
        for (number, sent) in &self.model.sent {
            let row: Message = self.store.message(*number);
            prop_assert_eq!((row.status, row.turn), (sent.status, sent.turn), "{}", number);
            let quoted = self.store.writer.read().quote(BOTS[sent.bot], *number).unwrap();
            prop_assert_eq!(quoted, sent.words.as_bytes());
        }
        for (run, status) in &self.model.runs {
            let row: Turn = self.store.turn(*run);
            prop_assert_eq!(row.status, *status);
            prop_assert_eq!(
                row.finished_ms.is_some(),
                !matches!(status, RunStatus::Running | RunStatus::Waiting)
            );
        }
        let sql = "SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM turns), (SELECT count(*) FROM nodes)";
        let counts: (i64, i64, i64) = self
            .store
            .writer
            .connection()
            .query_row(sql, [], |row| row.try_into())
            .unwrap();
        let nodes: usize = self.model.lineage.iter().map(Vec::len).sum();
        prop_assert_eq!(
            counts,
            (
                self.model.sent.len() as i64,
                self.model.runs.len() as i64,
                nodes as i64
            )
        );
        for bot in 0..BOTS.len() {
            prop_assert_eq!(self.lineage(bot), self.model.lineage[bot].clone());
        }
        self.store.is_sound();
        Ok(())
    }

    fn lineage(&mut self, bot: usize) -> Vec<i64> {
        let sql = "WITH RECURSIVE up(node, depth) AS (
                SELECT b.head, n.depth FROM bots b JOIN nodes n ON n.id = b.head WHERE b.name = ?1
                UNION ALL SELECT n.parent, up.depth - 1 FROM up JOIN nodes n ON n.id = up.node WHERE n.parent IS NOT NULL)
            SELECT m.number FROM up JOIN messages m ON m.node = up.node ORDER BY up.depth";
        let mut statement = self.store.writer.connection().prepare(sql).unwrap();
        let numbers = statement.query_map([BOTS[bot]], |row| row.get(0)).unwrap();
        numbers.map(Result::unwrap).collect()
    }
}

fn request(sent: &Sent) -> Request<'_> {
    Request {
        bot: BOTS[sent.bot],
        request_id: &sent.words[..sent.words.len().min(9)],
        words: sent.words.as_bytes(),
        workspace: sent.is_elsewhere.then_some("/srv/elsewhere"),
        delivery: DELIVERIES[sent.delivery],
        expected_turn: sent.expected,
        ..Request::default()
    }
}

fn refused<T: std::fmt::Debug>(done: Result<T, StoreError>) -> Option<Refusal> {
    match done {
        Err(StoreError::Refused { refusal }) => Some(refusal),
        Ok(_) => None,
        Err(error) => panic!("{error}: {error:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_done_the_store_and_the_model_say_the_same(acts in prop::collection::vec(act(), 1..60)) {
        let mut both = Both::new();
        for act in &acts {
            both.act(act)?;
        }
        both.compare()?;
    }
}
