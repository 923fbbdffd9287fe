//! Submitting, waiting in line, being cancelled there or failing there.

use std::collections::VecDeque;

use super::World;
use crate::generate::daemon::bot::{Delivery, Plan, Run, Sent};
use crate::generate::daemon::items::quoted;
use crate::generate::daemon::truth::Fate;

impl World<'_, '_> {
    /// A message that opens a run of an idle bot.
    pub(super) fn open(&mut self, at: usize) -> rusqlite::Result<()> {
        let delivery = *self
            .dice
            .pick(&[Delivery::Reject, Delivery::Reject, Delivery::Queue]);
        let sent = self.submit(at, delivery, Plan::Serve);
        if self.dice.chance(40) {
            // No slot is free: it becomes the head of the line.
            self.queued_event(at, &sent, "ready")?;
            self.bot_mut(at).line.push_back(sent);
            return Ok(());
        }
        self.start(at, sent)
    }

    /// A message that waits.
    pub(super) fn send(&mut self, at: usize, delivery: Delivery, plan: Plan) -> rusqlite::Result<()> {
        let sent = self.submit(at, delivery, plan);
        let status = if delivery == Delivery::Attach {
            "attached"
        } else {
            "queued"
        };
        self.queued_event(at, &sent, status)?;
        if delivery == Delivery::Attach {
            self.bot_mut(at).attached.push(sent);
        } else {
            self.bot_mut(at).line.push_back(sent);
        }
        Ok(())
    }

    fn queued_event(&mut self, at: usize, sent: &Sent, status: &str) -> rusqlite::Result<()> {
        let expected = sent
            .expected
            .map_or(String::new(), |run| format!(r#","expected_turn":{run}"#));
        let data = format!(
            r#"{{"request_id":{},"status":"{status}","delivery":"{}"{expected}{}}}"#,
            quoted(&sent.request),
            sent.delivery.name(),
            sent.sender_members()
        );
        self.event(at, sent.number, "queued", data)
    }

    /// Draws a number and the message's content; its row is written when its fate is known.
    fn submit(&mut self, at: usize, delivery: Delivery, plan: Plan) -> Sent {
        let number = self.next_number();
        let is_steer = delivery == Delivery::Steer;
        let words = self.mix.words.draw(&mut self.dice, is_steer);
        let running = self.bot(at).run.as_ref().map(|run| run.sent.number);
        let sent = Sent {
            number,
            request: format!("r{number:x}-{:08x}", self.dice.below(1 << 32)),
            words,
            delivery,
            plan,
            expected: running.filter(|_| is_steer && self.dice.chance(self.mix.strict)),
            workspace: self.dice.chance(200).then(|| format!("/srv/work/{}", number % 7)),
            model: self.dice.chance(100).then(|| "large-2".to_owned()),
            reasoning: self.dice.chance(100).then_some("high"),
            from: self.sender(at),
            origin: self.dice.chance(self.mix.quoted).then_some("schedule"),
            quotes: self.quotes(),
            pictures: self.dice.chance(self.mix.quoted).then(|| {
                format!(
                    r#"[{{"media_type":"image/png","blob":"{:016x}"}}]"#,
                    self.dice.below(u64::MAX)
                )
            }),
        };
        let bot = self.bot_mut(at);
        bot.retained.insert(number);
        let id = bot.id;
        self.truth.add(number, id);
        self.rows += 1;
        self.idle_ticks = 0;
        sent
    }

    /// Another bot's run that sends the message, if any.
    fn sender(&mut self, at: usize) -> Option<(String, i64, i64)> {
        if !self.dice.chance(self.mix.from_bots) {
            return None;
        }
        let other = self.dice.below(self.bots.len() as u64) as usize;
        let bot = self.bots.get(other).filter(|_| other != at)?;
        Some((bot.name.clone(), bot.run.as_ref()?.sent.number, bot.id))
    }

    fn quotes(&mut self) -> Option<String> {
        if !self.dice.chance(self.mix.quoted) {
            return None;
        }
        if self.dice.chance(self.mix.noise) {
            let broken = [
                "no list",
                r#"{"turn":3}"#,
                r#"[{"bot":"Bob","turn":"3"},4]"#,
                r#"[{"turn":-1}]"#,
                "[]",
            ];
            return Some((*self.dice.pick(&broken)).to_owned());
        }
        let of = self.dice.below(self.bots.len() as u64) as usize;
        let bot = quoted(&self.bots.get(of)?.name);
        let number = self.dice.range(1, self.last_number.max(1));
        let reply = *self.dice.pick(&["", r#","reply":true"#, r#", "reply": false"#]);
        Some(format!(r#"[{{"bot":{bot},"turn":{number}{reply}}}]"#))
    }

    /// An idle bot's line: its head starts, fails, or was cancelled.
    pub(super) fn serve_line(&mut self, at: usize) -> rusqlite::Result<()> {
        let Some(head) = self.bot_mut(at).line.pop_front() else {
            return Ok(());
        };
        match head.plan {
            Plan::Cancel => self.withdraw(at, &head),
            Plan::Fail => {
                let error = *self
                    .dice
                    .pick(&["budget_exhausted", "provider_unavailable", "shutdown"]);
                self.fail(at, &head, error)
            }
            // The run it was for has ended.
            Plan::Serve if head.expected.is_some() => self.fail(at, &head, "stale_turn"),
            Plan::Serve => self.start(at, head),
        }
    }

    /// Cancels what is planned to be cancelled.
    pub(super) fn cancel_in_line(&mut self, at: usize) -> rusqlite::Result<()> {
        let bot = self.bot_mut(at);
        let mut gone: Vec<Sent> = Vec::new();
        let is_planned = |sent: &Sent| sent.plan == Plan::Cancel;
        gone.extend(bot.attached.extract_if(.., |sent| is_planned(sent)));
        let (cancelled, kept): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut bot.line).into_iter().partition(is_planned);
        bot.line = kept;
        gone.extend(cancelled);
        for sent in &gone {
            self.withdraw(at, sent)?;
        }
        Ok(())
    }

    fn withdraw(&mut self, at: usize, sent: &Sent) -> rusqlite::Result<()> {
        self.event(
            at,
            sent.number,
            "turn_finished",
            r#"{"status":"interrupted","error":"cancelled"}"#.to_owned(),
        )?;
        self.end_in_line(at, sent, "interrupted", Fate::Withdrawn)
    }

    fn fail(&mut self, at: usize, sent: &Sent, error: &str) -> rusqlite::Result<()> {
        let data = format!(r#"{{"status":"failed","error":"{error}","detail":"its place in line came"}}"#);
        self.event(at, sent.number, "turn_finished", data)?;
        self.end_in_line(at, sent, "failed", Fate::Failed)
    }

    fn end_in_line(&mut self, at: usize, sent: &Sent, status: &str, fate: Fate) -> rusqlite::Result<()> {
        let ended_ms = self.time(at);
        self.write_unrun(at, sent, status, Some(ended_ms), None)?;
        if let Some(message) = self.truth.message_mut(sent.number) {
            message.fate = fate;
        }
        self.finish(at, sent.number)
    }

    /// What a run looks like at its first moment.
    pub(super) fn new_run(&mut self, sent: Sent, node: i64, started_ms: i64) -> Run {
        let tools = self.mix.tools;
        let tools_left = if self.dice.chance(tools.share) {
            self.dice.range(tools.calls / 2, tools.calls)
        } else {
            0
        };
        Run {
            sent,
            node,
            started_ms,
            doing: crate::generate::daemon::bot::Doing::Running,
            tools_left,
            calls: 0,
            spent: crate::generate::daemon::rows::Spent::default(),
            has_stepped: false,
            lost_start: self.dice.chance(self.mix.noise / 16),
        }
    }
}
