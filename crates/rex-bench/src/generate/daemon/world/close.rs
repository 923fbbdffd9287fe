//! The last acts: what is unfinished is written as it stands, retention works once more, the counters are set.

use rusqlite::params;

use super::World;
use crate::generate::daemon::bot::{Bot, Doing, Sent};
use crate::generate::daemon::rows::Text;
use crate::generate::daemon::truth::Truth;

impl World<'_, '_> {
    /// Writes what is still in memory and returns the truth.
    pub(in super::super) fn close(mut self) -> rusqlite::Result<Truth> {
        for at in 0..self.bots.len() {
            self.settle_run(at)?;
            self.forget_records(at)?;
            self.write_line(at)?;
            if let Some(run) = self.bot(at).run.clone() {
                let status = self.bot(at).status;
                self.write_run(at, &run, status, None)?;
            }
        }
        self.write_events()?;
        self.write_bots()?;
        self.write_counters()?;
        self.truth.settle();
        Ok(self.truth)
    }

    /// A run inside which the clock stepped back must end, so that it shows; one that parks for good must park.
    fn settle_run(&mut self, at: usize) -> rusqlite::Result<()> {
        let parks = self.parks_for_good(at);
        let Some(run) = self.bot_mut(at).run.as_mut() else {
            return Ok(());
        };
        if parks && run.doing == Doing::Running {
            return self.park(at);
        }
        if run.has_stepped {
            run.doing = Doing::Running;
            return self.end(at);
        }
        Ok(())
    }

    /// Retention's last work.
    fn forget_records(&mut self, at: usize) -> rusqlite::Result<()> {
        let evidence = self.mix.evidence;
        if let Some(keep) = evidence.keep {
            self.prune(at, keep)?;
        }
        let bot = self.bot(at);
        let unfinished: Vec<i64> = bot.unfinished().collect();
        let finished: Vec<i64> = bot
            .retained
            .iter()
            .copied()
            .filter(|number| !unfinished.contains(number))
            .collect();
        for number in finished {
            if !evidence.is_recorded {
                self.bot_mut(at).retained.remove(&number);
            } else if self.dice.chance(evidence.lost) {
                self.reclaim(at, number)?;
            }
        }
        Ok(())
    }

    fn write_line(&mut self, at: usize) -> rusqlite::Result<()> {
        let bot = self.bot_mut(at);
        let is_idle = bot.run.is_none();
        let line = std::mem::take(&mut bot.line);
        let attached = std::mem::take(&mut bot.attached);
        for (place, sent) in line.iter().enumerate() {
            let status = if is_idle && place == 0 { "ready" } else { "queued" };
            self.write_waiting(at, sent, status)?;
        }
        attached
            .iter()
            .try_for_each(|sent| self.write_waiting(at, sent, "attached"))
    }

    fn write_waiting(&mut self, at: usize, sent: &Sent, status: &str) -> rusqlite::Result<()> {
        let ended_ms = self.dice.chance(self.mix.noise / 8).then_some(5);
        let is_raw = self.dice.chance(self.mix.noise / 8);
        let Self { writer, bots, .. } = self;
        let Some(bot) = bots.get(at) else { return Ok(()) };
        let mut row = sent.row(&bot.name, status);
        row.finished_ms = ended_ms;
        if is_raw {
            row.words = Text(b"not UTF-8: \xff\xfe");
        }
        writer.turn(&row)
    }

    /// Writes what retention left, in the order in which it happened.
    fn write_events(&mut self) -> rusqlite::Result<()> {
        let Self { writer, bots, .. } = self;
        let mut events: Vec<_> = bots
            .iter()
            .flat_map(|bot| {
                bot.events
                    .iter()
                    .map(move |(number, events)| (bot, *number, events))
            })
            .flat_map(|(bot, number, events)| events.iter().map(move |event| (event, &bot.name, number)))
            .collect();
        events.sort_unstable_by_key(|(event, _, _)| event.id);
        for (event, bot, number) in events {
            writer.event(event.id, bot, Some(number), event.kind, &event.data)?;
        }
        writer.close_events()
    }

    fn write_bots(&mut self) -> rusqlite::Result<()> {
        let connection = self.writer.connection;
        let mut insert = connection.prepare(
            "INSERT INTO bots VALUES(?1,?2,?3,'/srv/work/home',?4,?5,'example',?6,'large-1','Help.','medium',\
             '[\"shell\",\"wait\"]',?7,?8,?9,?10,?11,?12,?13,?14)",
        )?;
        let mut checkpoint = connection.prepare("INSERT INTO checkpoints VALUES(?1,?2)")?;
        for bot in &self.bots {
            for number in &bot.retained {
                self.writer.retained(*number, &bot.name)?;
            }
            let (creator, creator_id) = bot.created_by.clone().unzip();
            insert.execute(params![
                bot.name,
                bot.id,
                bot.tip.map(|tip| tip.node),
                bot.status,
                bot.run.as_ref().map(|run| run.sent.number),
                bot.family.name(),
                (bot.id % 5 == 0).then_some(1_000_000),
                bot.input + bot.output,
                bot.input,
                bot.cached,
                creator,
                creator_id,
                bot.context_start,
                bot.pruned_cursor,
            ])?;
            if let Some(tip) = bot.tip.filter(|_| bot.id % 3 == 0) {
                checkpoint.execute(params![bot.name, tip.node])?;
            }
        }
        Ok(())
    }

    fn write_counters(&mut self) -> rusqlite::Result<()> {
        let connection = self.writer.connection;
        // A restored backup can leave the sequence behind its rows, or lose its only row.
        let behind = if self.dice.chance(self.mix.noise) {
            self.dice.range(0, 4)
        } else {
            0
        };
        if !self.dice.chance(self.mix.noise / 8) {
            let last = (self.last_number - behind).max(0);
            connection.execute("INSERT INTO turn_sequence VALUES(1,?1)", [last])?;
        }
        connection.execute(
            "INSERT INTO node_sequence VALUES(1,?1)",
            [self.writer.last_node()],
        )?;
        connection.execute("INSERT INTO bot_sequence VALUES(1,?1)", [self.last_bot])?;
        connection.execute("INSERT INTO event_retention VALUES(1,?1)", [self.pruned_cursor])?;
        let identity = self.dice.range(1, i64::MAX - 1);
        connection.execute("INSERT INTO store VALUES(1,?1)", [identity])?;
        Ok(())
    }
}

impl Bot {
    /// Numbers of messages that have no end yet.
    fn unfinished(&self) -> impl Iterator<Item = i64> {
        let run = self.run.as_ref().map(|run| run.sent.number);
        let in_line = self.line.iter().chain(&self.attached).map(|sent| sent.number);
        run.into_iter().chain(in_line)
    }
}
