//! The two events of a message that was taken in, whole or damaged, and the steps of the clock.

use super::World;
use crate::generate::daemon::bot::Sent;

/// Payload members in place of the right number.
const UNREADABLE: [&str; 5] = ["\"12\"", "12.0", "null", "true", "[7]"];

impl World<'_, '_> {
    /// `turn_finished` under the message, `steered` under the run.
    pub(super) fn taken_events(
        &mut self,
        at: usize,
        sent: &Sent,
        run: i64,
        node: i64,
    ) -> rusqlite::Result<()> {
        let members = sent.sender_members();
        let (a, node_a) = self.payload("steer", sent.number, node, &members);
        let (b, node_b) = self.payload("into", run, node, "");
        let b_text = b.text.replacen('{', r#"{"status":"steered","#, 1);
        self.event(at, sent.number, "turn_finished", b_text)?;
        self.event(at, run, "steered", a.text)?;
        let is_contradicted = b.is_readable && self.contradict(at, sent, run, node)?;
        let is_said_again = self.lie(at, sent, run)?;
        let is_recorded = self.mix.evidence.is_recorded;
        if let Some(message) = self.truth.message_mut(sent.number) {
            message.a = (a.is_readable || is_said_again) && is_recorded;
            message.b = b.is_readable && is_recorded;
            message.node_a = node_a;
            message.node_b = node_b;
            message.is_contradicted = is_contradicted && is_recorded;
        }
        Ok(())
    }

    /// A payload that names a message or run under `key`, and whether its node can be the message's.
    fn payload(&mut self, key: &str, number: i64, node: i64, members: &str) -> (Payload, bool) {
        let kind = if self.dice.chance(self.mix.noise) {
            self.dice.below(5)
        } else {
            9
        };
        let bad = *self.dice.pick(&UNREADABLE);
        match kind {
            0 => (
                Payload::unreadable(format!(r#"{{"{key}":{bad},"node":{node}{members}}}"#)),
                false,
            ),
            1 => (Payload::unreadable(format!(r#"{{"{key}":{number},"#)), false),
            2 => (
                Payload::readable(format!(r#"{{"{key}":{number},"node":{bad}{members}}}"#)),
                false,
            ),
            3 => (
                Payload::readable(format!(
                    r#"{{"{key}":{number},"node":{}{members}}}"#,
                    node + 1_000_000
                )),
                false,
            ),
            4 => {
                // The run's own first node is marked, so it is no message's that the run took in.
                let marked = self
                    .truth
                    .message(number)
                    .and_then(|message| message.run)
                    .unwrap_or(number);
                let first = self
                    .truth
                    .message(marked)
                    .and_then(|message| message.node)
                    .unwrap_or(0);
                (
                    Payload::readable(format!(r#"{{"{key}":{number},"node":{first}{members}}}"#)),
                    false,
                )
            }
            _ => (
                Payload::readable(format!(r#"{{"{key}":{number},"node":{node}{members}}}"#)),
                true,
            ),
        }
    }

    /// A second `turn_finished` that names an earlier run of the bot, which would fit as well.
    fn contradict(&mut self, at: usize, sent: &Sent, run: i64, node: i64) -> rusqlite::Result<bool> {
        let Some(earlier) = self.bot(at).last_run else {
            return Ok(false);
        };
        let is_steer = sent.number > run && sent.expected.is_none();
        if !is_steer || !self.dice.chance(self.mix.noise / 8) {
            return Ok(false);
        }
        let data = format!(r#"{{"status":"steered","into":{earlier},"node":{node}}}"#);
        self.event(at, sent.number, "turn_finished", data)?;
        Ok(true)
    }

    /// Events that do not fit, or say the truth again; returns whether it was the truth.
    fn lie(&mut self, at: usize, sent: &Sent, run: i64) -> rusqlite::Result<bool> {
        if !self.dice.chance(self.mix.noise / 2) {
            return Ok(false);
        }
        let number = sent.number;
        let data = format!(r#"{{"steer":{number}}}"#);
        let kind = self.dice.below(4);
        match kind {
            0 => self.event(at, run, "steered", data)?,
            1 => {
                let other = self.dice.below(self.bots.len() as u64) as usize;
                let foreign = self
                    .bots
                    .get(other)
                    .and_then(|bot| bot.last_run)
                    .filter(|_| other != at);
                if let Some(foreign) = foreign {
                    self.event(other, foreign, "steered", data)?;
                }
            }
            2 => self.event(at, number, "steered", data)?,
            _ => self.event(at, self.last_number.saturating_add(100_000), "steered", data)?,
        }
        Ok(kind == 0)
    }

    /// Between two runs: the next starts before the last ended.
    pub(super) fn step_back_between(&mut self, at: usize) {
        let Some(last_end_ms) = self.bot(at).last_end_ms else {
            return;
        };
        if self.dice.chance(self.mix.clock.steps) {
            let back = self.least_step() + self.dice.range(0, 10_000);
            self.set_time(at, last_end_ms - back);
            self.note_step(at, false);
        }
    }

    /// Inside a run: what it takes in from here on lies before its start. With a hidden step its end may not show it.
    pub(super) fn step_back_inside(&mut self, at: usize) {
        let least = self.least_step();
        let hidden = self.dice.chance(self.mix.clock.hidden_steps);
        let shown = !hidden && self.dice.chance(self.mix.clock.steps / 4);
        let now_ms = self.time(at);
        let Some(run) = self.bot_mut(at).run.as_mut() else {
            return;
        };
        if shown {
            run.has_stepped = true;
            let ms = run.started_ms - 3_600_000 - least;
            self.set_time(at, ms);
            self.note_step(at, false);
        } else if hidden {
            let back = self.dice.range(1, 20_000);
            self.set_time(at, now_ms - back);
            self.note_step(at, true);
        }
    }

    /// At the end of a run: it ends before it started.
    pub(super) fn step_back_at_end(&mut self, at: usize) {
        let least = self.least_step();
        let now_ms = self.time(at);
        let steps = self.dice.chance(self.mix.clock.steps / 2);
        let Some(run) = self.bot(at).run.as_ref() else {
            return;
        };
        let before_start_ms = run.started_ms - least;
        if steps || (run.has_stepped && now_ms > before_start_ms) {
            self.set_time(at, before_start_ms);
            self.note_step(at, false);
        }
    }

    /// A step that still shows after times were cut to the grain.
    fn least_step(&self) -> i64 {
        2 * self.mix.clock.grain_ms.max(1)
    }

    fn note_step(&mut self, at: usize, is_hidden: bool) {
        let id = self.bot(at).id;
        let list = if is_hidden {
            &mut self.truth.hidden
        } else {
            &mut self.truth.stepped
        };
        if list.last() != Some(&id) && !list.contains(&id) {
            list.push(id);
        }
    }
}

/// The text of a payload, and whether the number in it can be read.
struct Payload {
    text: String,
    is_readable: bool,
}

impl Payload {
    fn readable(text: String) -> Self {
        Self {
            text,
            is_readable: true,
        }
    }

    fn unreadable(text: String) -> Self {
        Self {
            text,
            is_readable: false,
        }
    }
}
