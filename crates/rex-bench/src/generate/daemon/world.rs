//! The model at work: a daemon that takes messages in, runs them, and writes what a daemon at 90 writes.

use rusqlite::params;

use super::bot::{Bot, Delivery, Event, Plan, Sent};
use super::items::{Family, quoted};
use super::mix::{Activity, Mix};
use super::rows::{Text, TurnRow, Writer};
use super::truth::Truth;
use crate::generate::dice::Dice;

mod close;
mod life;
mod line;
mod noise;
mod park;
mod run;

/// The whole state of the model; what it keeps grows with the bots and by some bytes a message.
pub(super) struct World<'a, 'c> {
    pub(super) mix: &'a Mix,
    pub(super) dice: Dice,
    pub(super) writer: Writer<'c>,
    pub(super) truth: Truth,
    pub(super) bots: Vec<Bot>,
    /// The k-th entry is the sum of the weights of the first k bots.
    weights: Vec<u64>,
    turn: usize,
    now_ms: i64,
    last_number: i64,
    last_bot: i64,
    rows: u64,
    freed_names: Vec<String>,
    pruned_cursor: i64,
    created: u64,
    freed: u64,
    idle_ticks: u64,
    has_dropped_roots: bool,
}

impl<'a, 'c> World<'a, 'c> {
    pub(super) fn new(mix: &'a Mix, seed: u64, writer: Writer<'c>) -> Self {
        let mut sum = 0;
        let weights = (1..=mix.bots.max(1))
            .map(|k| {
                sum += if mix.activity == Activity::Zipf {
                    1_000_000 / k
                } else {
                    1
                };
                sum
            })
            .collect();
        Self {
            mix,
            dice: Dice::new(seed),
            writer,
            truth: Truth::default(),
            bots: Vec::new(),
            weights,
            turn: 0,
            now_ms: mix.clock.start_ms,
            last_number: mix.first_number,
            last_bot: 0,
            rows: 0,
            freed_names: Vec::new(),
            pruned_cursor: 0,
            created: 0,
            freed: 0,
            idle_ticks: 0,
            has_dropped_roots: false,
        }
    }

    /// Rows that exist so far.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// One act of one bot.
    pub(super) fn tick(&mut self) -> rusqlite::Result<()> {
        self.now_ms += self.dice.range(0, self.mix.clock.tick_ms);
        self.end_lives()?;
        let at = self.choose_bot()?;
        let Some(bot) = self.bots.get(at) else {
            return Ok(());
        };
        match (&bot.run, bot.line.is_empty()) {
            (Some(_), _) => self.act_in_run(at),
            (None, false) => self.serve_line(at),
            (None, true) if self.dice.chance(self.mix.attached) => {
                self.send(at, Delivery::Attach, Plan::Serve)
            }
            (None, true) => self.open(at),
        }
    }

    /// The index of the bot that acts; one that does not exist yet is created first.
    fn choose_bot(&mut self) -> rusqlite::Result<usize> {
        let at = if self.mix.activity == Activity::Rounds {
            self.turn += 1;
            (self.turn - 1) % self.weights.len().max(1)
        } else {
            let total = self.weights.last().copied().unwrap_or(1);
            let draw = self.dice.below(total);
            self.weights.partition_point(|&sum| sum <= draw)
        };
        if at < self.bots.len() {
            return Ok(at);
        }
        self.create_bot()?;
        Ok(self.bots.len() - 1)
    }

    /// The bot's clock, cut to the grain.
    pub(super) fn time(&self, at: usize) -> i64 {
        let grain = self.mix.clock.grain_ms.max(1);
        (self.now_ms + self.bot(at).offset_ms).div_euclid(grain) * grain
    }

    /// Sets the bot's clock.
    pub(super) fn set_time(&mut self, at: usize, ms: i64) {
        let now_ms = self.now_ms;
        self.bot_mut(at).offset_ms = ms - now_ms;
    }

    pub(super) fn bot(&self, at: usize) -> &Bot {
        self.bots
            .get(at)
            .expect("the index comes from choose_bot, and no bot goes within an act")
    }

    pub(super) fn bot_mut(&mut self, at: usize) -> &mut Bot {
        self.bots
            .get_mut(at)
            .expect("the index comes from choose_bot, and no bot goes within an act")
    }

    /// Writes an event of a message or a run, unless records are off.
    pub(super) fn event(
        &mut self,
        at: usize,
        number: i64,
        kind: &'static str,
        data: String,
    ) -> rusqlite::Result<()> {
        if !self.mix.evidence.is_recorded {
            return Ok(());
        }
        let Self { writer, bots, .. } = self;
        let Some(bot) = bots.get_mut(at) else {
            return Ok(());
        };
        let id = writer.next_event();
        if self.mix.evidence.keep.is_none() {
            return writer.event(id, &bot.name, Some(number), kind, &data);
        }
        bot.events
            .entry(number)
            .or_default()
            .push(Event { id, kind, data });
        Ok(())
    }

    /// Writes the final row of a message that is no run.
    pub(super) fn write_unrun(
        &mut self,
        at: usize,
        sent: &Sent,
        status: &str,
        ended_ms: Option<i64>,
        held_by: Option<i64>,
    ) -> rusqlite::Result<()> {
        let Self { writer, bots, .. } = self;
        let Some(bot) = bots.get(at) else { return Ok(()) };
        let mut row = sent.row(&bot.name, status);
        row.finished_ms = ended_ms;
        row.words_node = held_by;
        if held_by.is_some() && sent.is_held() {
            row.words = Text(b"");
        }
        writer.turn(&row)
    }

    /// The next number of the one sequence; a noisy store has gaps.
    fn next_number(&mut self) -> i64 {
        let gap = if self.dice.chance(self.mix.noise / 4) {
            self.dice.range(1, 3)
        } else {
            0
        };
        self.last_number = self.last_number.saturating_add(1 + gap);
        self.last_number
    }

    /// The next bot's family.
    fn family(&mut self) -> Family {
        *self.dice.pick(&[
            Family::Responses,
            Family::Responses,
            Family::Messages,
            Family::Plain,
        ])
    }

    /// Writes the bot's own event.
    fn bot_event(&mut self, name: &str, kind: &str, data: &str) -> rusqlite::Result<()> {
        let id = self.writer.next_event();
        self.writer.event(id, name, None, kind, data)
    }

    /// Takes a submission's records away; a process that still runs keeps its row of retention.
    pub(super) fn reclaim(&mut self, at: usize, number: i64) -> rusqlite::Result<()> {
        let mix = self.mix;
        let is_busy = mix.tools.extras > 0 && self.has_running_process(number)?;
        let is_written = mix.evidence.keep.is_none() || mix.tools.share > 0;
        let written = if is_written {
            self.writer.reclaim(number)?
        } else {
            None
        };
        let bot = self.bot_mut(at);
        let unwritten = bot
            .events
            .remove(&number)
            .and_then(|events| events.last().map(|event| event.id));
        let last = written.max(unwritten).unwrap_or(0);
        if !is_busy {
            bot.retained.remove(&number);
        }
        bot.pruned_cursor = bot.pruned_cursor.max(last);
        self.pruned_cursor = self.pruned_cursor.max(last);
        if let Some(message) = self.truth.message_mut(number) {
            message.is_reclaimed = true;
        }
        Ok(())
    }

    fn has_running_process(&self, number: i64) -> rusqlite::Result<bool> {
        self.writer
            .connection
            .prepare_cached("SELECT EXISTS(SELECT 1 FROM processes WHERE turn = ?1 AND status = 'running')")?
            .query_row(params![number], |row| row.get(0))
    }

    /// Counts a submission as finished and lets retention work when enough have gathered.
    pub(super) fn finish(&mut self, at: usize, number: i64) -> rusqlite::Result<()> {
        let keep = self.mix.evidence.keep;
        let bot = self.bot_mut(at);
        bot.finished.insert(number);
        match keep {
            Some(keep) if bot.finished.len() > keep + keep / 2 + 8 => self.prune(at, keep),
            _ => Ok(()),
        }
    }

    /// `prune(bot, keep)`.
    pub(super) fn prune(&mut self, at: usize, keep: usize) -> rusqlite::Result<()> {
        let Some(below) = self.bot(at).reclaim_below(keep) else {
            return Ok(());
        };
        let gone: Vec<i64> = self.bot(at).retained.range(..below).copied().collect();
        for number in gone {
            self.reclaim(at, number)?;
        }
        let bot = self.bot_mut(at);
        bot.finished = bot.finished.split_off(&below);
        Ok(())
    }
}

impl Sent {
    /// Whether its words go to the node alone once they join the lineage.
    pub(super) fn is_held(&self) -> bool {
        self.words.len() >= super::words::HELD_BYTES
    }

    /// The row as it stands while nothing but `status` is known.
    pub(super) fn row<'r>(&'r self, bot: &'r str, status: &'r str) -> TurnRow<'r> {
        TurnRow {
            number: self.number,
            bot,
            request: &self.request,
            words: Text(self.words.as_bytes()),
            words_node: None,
            status,
            delivery: self.delivery.name(),
            expected: self.expected,
            workspace: self.workspace.as_deref(),
            model: self.model.as_deref(),
            reasoning: self.reasoning,
            inherited: None,
            from: self.from.as_ref(),
            origin: self.origin,
            quotes: self.quotes.as_deref(),
            pictures: self.pictures.as_deref(),
            waiting: None,
            spent: super::rows::Spent::default(),
            started_ms: None,
            finished_ms: None,
        }
    }

    /// The members `"from"` and `"origin"` of event payloads, each behind a comma.
    pub(super) fn sender_members(&self) -> String {
        let from = self
            .from
            .as_ref()
            .map_or(String::new(), |from| format!(r#","from":{}"#, quoted(&from.0)));
        let origin = self
            .origin
            .map_or(String::new(), |origin| format!(r#","origin":"{origin}""#));
        from + &origin
    }
}
