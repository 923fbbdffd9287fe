//! A run: it starts, takes messages in, calls tools, ends.

use super::World;
use crate::generate::daemon::bot::{Delivery, Doing, Plan, Run, Sent};
use crate::generate::daemon::items::{self, quoted};
use crate::generate::daemon::rows::{Text, Tip};
use crate::generate::daemon::truth::Fate;
use crate::generate::daemon::words;

/// A batch of a round takes at most so many steers,
const BATCH: usize = 32;
/// and at most so many bytes of words.
const BATCH_BYTES: usize = 256 * 1024;

impl World<'_, '_> {
    /// Opens a run with `sent`, which takes the attached messages in with it.
    pub(super) fn start(&mut self, at: usize, mut sent: Sent) -> rusqlite::Result<()> {
        self.step_back_between(at);
        let started_ms = self.time(at);
        sent.workspace.get_or_insert_with(|| "/srv/work/home".to_owned());
        sent.model.get_or_insert_with(|| "large-1".to_owned());
        let number = sent.number;
        let item = self.user_item(at, &sent);
        let bot = self.bot_mut(at);
        bot.ordinal += 1;
        let (ordinal, parent) = (bot.ordinal, bot.tip);
        let tip = self.writer.node(parent, &item, Some((number, ordinal)))?;
        self.joined(at, tip, &sent)?;
        let data = format!(
            r#"{{"request_id":{},"node":{}{}}}"#,
            quoted(&sent.request),
            tip.node,
            sent.sender_members()
        );
        self.event(at, number, "accepted", data)?;
        if let Some(message) = self.truth.message_mut(number) {
            message.fate = Fate::Opened;
            message.run = Some(number);
            message.node = Some(tip.node);
            message.taken_ms = Some(started_ms);
        }
        let run = self.new_run(sent, tip.node, started_ms);
        let bot = self.bot_mut(at);
        bot.run = Some(run);
        bot.status = "running";
        // A run takes in what was attached before it was sent.
        let (staying, riding): (Vec<Sent>, Vec<Sent>) = std::mem::take(&mut bot.attached)
            .into_iter()
            .partition(|sent| sent.plan == Plan::Cancel || sent.number > number);
        bot.attached = staying;
        for sent in riding {
            self.take(at, sent)?;
        }
        Ok(())
    }

    fn user_item(&mut self, at: usize, sent: &Sent) -> String {
        let family = self.bot(at).family;
        items::user(family, &sent.words, sent.pictures.is_some(), &mut self.dice)
    }

    /// The head moves to a message's node; who sent it is written beside the node.
    fn joined(&mut self, at: usize, tip: Tip, sent: &Sent) -> rusqlite::Result<()> {
        self.bot_mut(at).tip = Some(tip);
        match &sent.from {
            Some(from) => self.writer.sender(tip.node, from, sent.origin),
            None => Ok(()),
        }
    }

    /// Something happens to a bot that has a run.
    pub(super) fn act_in_run(&mut self, at: usize) -> rusqlite::Result<()> {
        let mix = self.mix;
        let runs = 1000_u32
            .saturating_sub(mix.steers + mix.attached + mix.cancelled + mix.failed_in_line)
            .max(50);
        let weights = [
            mix.steers,
            mix.attached,
            mix.queued,
            mix.cancelled,
            mix.failed_in_line,
            runs,
            250,
            60,
        ];
        let what = self.dice.weighted(&weights);
        if what < 5 {
            let plan = match what {
                3 => Plan::Cancel,
                4 => Plan::Fail,
                _ => Plan::Serve,
            };
            let delivery = match what {
                0 => Delivery::Steer,
                1 => Delivery::Attach,
                2 => Delivery::Queue,
                _ => *self.dice.pick(&[
                    Delivery::Queue,
                    Delivery::Steer,
                    Delivery::Queue,
                    Delivery::Attach,
                ]),
            };
            // An attached message has no place in line that could come.
            let delivery = if plan == Plan::Fail && delivery == Delivery::Attach {
                Delivery::Queue
            } else {
                delivery
            };
            return self.send(at, delivery, plan);
        }
        if what == 7 {
            return self.cancel_in_line(at);
        }
        match self.bot(at).run.as_ref().map(|run| &run.doing) {
            Some(Doing::Running) if what == 6 => self.round(at),
            Some(Doing::Running) => self.end(at),
            _ => self.resume(at),
        }
    }

    /// A round boundary: queued steers are taken in number order, tools are called, the run may park.
    fn round(&mut self, at: usize) -> rusqlite::Result<()> {
        self.step_back_inside(at);
        self.take_steers(at)?;
        if let Some(run) = self.bot_mut(at).run.as_mut() {
            run.spent.rounds += 1;
        }
        self.call_tool(at)?;
        if self.dice.chance(self.mix.parks.share) {
            self.park(at)?;
        }
        Ok(())
    }

    fn take_steers(&mut self, at: usize) -> rusqlite::Result<()> {
        let Some(run) = self.bot(at).run.as_ref().map(|run| run.sent.number) else {
            return Ok(());
        };
        let (mut count, mut bytes) = (0, 0);
        let fits = |sent: &Sent| {
            sent.delivery == Delivery::Steer
                && sent.plan == Plan::Serve
                && sent.expected.is_none_or(|for_run| for_run == run)
        };
        let (batch, kept) = std::mem::take(&mut self.bot_mut(at).line)
            .into_iter()
            .partition::<Vec<Sent>, _>(|sent| {
                let next = bytes + sent.words.len();
                let is_taken = fits(sent) && count < BATCH && (count == 0 || next <= BATCH_BYTES);
                if is_taken {
                    (count, bytes) = (count + 1, next);
                }
                is_taken
            });
        self.bot_mut(at).line = kept.into();
        for sent in batch {
            self.take(at, sent)?;
        }
        Ok(())
    }

    /// The run takes a message in: its node, its row, and the two events under two numbers.
    fn take(&mut self, at: usize, mut sent: Sent) -> rusqlite::Result<()> {
        let taken_ms = self.time(at);
        let item = self.user_item(at, &sent);
        let tip = self.writer.node(self.bot(at).tip, &item, None)?;
        self.joined(at, tip, &sent)?;
        let Some(run) = self.bot(at).run.as_ref() else {
            return Ok(());
        };
        let number = run.sent.number;
        sent.workspace = sent.workspace.take().or_else(|| run.sent.workspace.clone());
        sent.model = sent.model.take().or_else(|| run.sent.model.clone());
        let is_named = sent.is_held() || self.dice.chance(self.mix.noise / 2);
        let is_untimed = self.dice.chance(self.mix.evidence.untimed);
        self.write_unrun(
            at,
            &sent,
            "steered",
            (!is_untimed).then_some(taken_ms),
            is_named.then_some(tip.node),
        )?;
        if let Some(message) = self.truth.message_mut(sent.number) {
            message.fate = Fate::Taken;
            message.run = Some(number);
            message.node = Some(tip.node);
            message.taken_ms = Some(taken_ms);
            message.c = is_named;
        }
        self.taken_events(at, &sent, number, tip.node)?;
        self.finish(at, sent.number)
    }

    fn call_tool(&mut self, at: usize) -> rusqlite::Result<()> {
        let family = self.bot(at).family;
        let Some(run) = self.bot_mut(at).run.as_mut().filter(|run| run.tools_left > 0) else {
            return Ok(());
        };
        run.tools_left -= 1;
        run.calls += 1;
        run.spent.rounds += 1;
        let number = run.sent.number;
        let call_id = format!("call_{number}_{}", run.calls);
        // Some results are word for word what a person might send.
        let text = match self.dice.below(8) {
            0 => "go on".to_owned(),
            _ => self.filler(self.mix.tools.result_bytes),
        };
        let tip = self
            .writer
            .node(self.bot(at).tip, &items::call(family, &call_id), None)?;
        self.event(
            at,
            number,
            "tool_started",
            format!(r#"{{"call_id":"{call_id}","name":"shell"}}"#),
        )?;
        let tip = self
            .writer
            .node(Some(tip), &items::result(family, &call_id, &text), None)?;
        self.bot_mut(at).tip = Some(tip);
        let data = format!(r#"{{"call_id":"{call_id}","node":{},"exit_status":0}}"#, tip.node);
        self.event(at, number, "tool_completed", data)?;
        if !self.mix.evidence.is_recorded {
            return Ok(());
        }
        self.writer.tool(number, &call_id, "completed")?;
        let most = self.mix.tools.artifact_bytes;
        if most > 0 {
            let text = self.filler(most);
            self.writer.artifact(number, &call_id, text.as_bytes())?;
        }
        if self.dice.chance(self.mix.tools.extras) {
            self.call_extra(at, number, &call_id)
        } else {
            Ok(())
        }
    }

    /// Plain text of half of `most` to `most` bytes.
    fn filler(&mut self, most: u64) -> String {
        let bytes = most / 2 + self.dice.below(most / 2 + 1);
        words::plain(&mut self.dice, bytes as usize)
    }

    /// The run ends, and the head of the line, if any, is next.
    pub(super) fn end(&mut self, at: usize) -> rusqlite::Result<()> {
        if self.parks_for_good(at) {
            return self.park(at);
        }
        while self.bot(at).run.as_ref().is_some_and(|run| run.tools_left > 0) {
            self.call_tool(at)?;
        }
        if !self.dice.chance(self.mix.hasty) {
            self.take_steers(at)?;
        }
        let status = self.end_status();
        if status == "completed" {
            self.reply(at)?;
        }
        self.step_back_at_end(at);
        self.cancel_in_line(at)?;
        let Some(run) = self.bot_mut(at).run.take() else {
            return Ok(());
        };
        self.write_ended(at, &run, status)?;
        self.finish(at, run.sent.number)?;
        if self.dice.chance(900) {
            self.serve_line(at)
        } else {
            Ok(())
        }
    }

    fn end_status(&mut self) -> &'static str {
        if self.dice.chance(self.mix.interrupted) {
            "interrupted"
        } else if self.dice.chance(15) {
            "failed"
        } else {
            "completed"
        }
    }

    fn reply(&mut self, at: usize) -> rusqlite::Result<()> {
        let family = self.bot(at).family;
        let text = self.filler(self.mix.tools.result_bytes);
        let tip = self
            .writer
            .node(self.bot(at).tip, &items::reply(family, &text), None)?;
        self.bot_mut(at).tip = Some(tip);
        let (input, output) = (tip.bytes / 4, self.dice.range(10, 900));
        let Some(run) = self.bot_mut(at).run.as_mut() else {
            return Ok(());
        };
        run.spent.rounds += 1;
        run.spent.input += input;
        run.spent.output += output;
        run.spent.cached += input / 2;
        run.spent.view_sent = Some(tip.node);
        let number = run.sent.number;
        self.event(at, number, "message", format!(r#"{{"node":{}}}"#, tip.node))?;
        let data = format!(
            r#"{{"input_tokens":{input},"output_tokens":{output},"cached_input_tokens":{}}}"#,
            input / 2
        );
        self.event(at, number, "usage", data)
    }

    /// Writes the row and the last event of a run that has ended.
    fn write_ended(&mut self, at: usize, run: &Run, status: &'static str) -> rusqlite::Result<()> {
        let finished_ms = self.time(at);
        let number = run.sent.number;
        let checkpoint = self.bot(at).tip.map_or(0, |tip| tip.node);
        let data = match status {
            "completed" => format!(r#"{{"status":"completed","checkpoint":{checkpoint}}}"#),
            "failed" => format!(
                r#"{{"status":"failed","checkpoint":{checkpoint},"error":"provider_error","detail":"status 529"}}"#
            ),
            _ => format!(r#"{{"status":"{status}","checkpoint":{checkpoint}}}"#),
        };
        self.event(at, number, "turn_finished", data)?;
        // An old run without an end, as some crash left it.
        let lost_end = self.dice.chance(self.mix.noise / 16);
        self.write_run(at, run, status, (!lost_end).then_some(finished_ms))?;
        let bot = self.bot_mut(at);
        bot.runs_ended += 1;
        bot.last_run = Some(number);
        bot.last_end_ms = Some(finished_ms);
        bot.status = status;
        Ok(())
    }

    /// Writes the row of a run.
    pub(super) fn write_run(
        &mut self,
        at: usize,
        run: &Run,
        status: &str,
        finished_ms: Option<i64>,
    ) -> rusqlite::Result<()> {
        let is_named = run.sent.is_held() || self.dice.chance(self.mix.noise / 2);
        let inherited = self.dice.chance(100).then_some("medium");
        let Self { writer, bots, .. } = self;
        let Some(bot) = bots.get_mut(at) else {
            return Ok(());
        };
        bot.input += run.spent.input;
        bot.output += run.spent.output;
        bot.cached += run.spent.cached;
        let mut row = run.sent.row(&bot.name, status);
        row.words_node = is_named.then_some(run.node);
        if run.sent.is_held() {
            row.words = Text(b"");
        }
        row.inherited = inherited;
        row.waiting = match &run.doing {
            Doing::Waiting(waiting) => Some(waiting),
            Doing::Running | Doing::Paced => None,
        };
        row.spent = run.spent;
        row.started_ms = (!run.lost_start).then_some(run.started_ms);
        row.finished_ms = finished_ms;
        writer.turn(&row)
    }
}
