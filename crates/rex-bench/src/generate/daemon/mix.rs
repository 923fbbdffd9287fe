//! What a generated store is made of.

use super::words::{HELD_BYTES, Words};
use crate::generate::dice::Dice;

/// The model's settings. Shares are thousandths of the submissions unless a field says otherwise.
#[derive(Clone, Debug)]
pub struct Mix {
    /// Rows of `turns` that the store ends with.
    pub rows: u64,
    /// Bots, forks included.
    pub bots: u64,
    /// Which bot acts next.
    pub activity: Activity,
    /// Steers.
    pub steers: u32,
    /// Messages attached to the next run.
    pub attached: u32,
    /// Messages that wait in line and then open a run.
    pub queued: u32,
    /// Messages cancelled in line.
    pub cancelled: u32,
    /// Messages that fail in line.
    pub failed_in_line: u32,
    /// Thousandths of the steers that name the run they are for.
    pub strict: u32,
    /// Thousandths of the runs that are interrupted.
    pub interrupted: u32,
    /// Thousandths of the runs that end without a last round, so that steers stay in line.
    pub hasty: u32,
    /// Thousandths of the messages that another bot sent.
    pub from_bots: u32,
    /// Thousandths of the messages with quotes, and again with pictures.
    pub quoted: u32,
    /// Tool calls of a run.
    pub tools: Tools,
    /// Runs that park on handles.
    pub parks: Parks,
    /// Forks, deletions, recycled names.
    pub lives: Lives,
    /// What retention and pruning leave.
    pub evidence: Evidence,
    /// How the clock ticks.
    pub clock: Clock,
    /// How words are drawn.
    pub words: Words,
    /// Damage that a careful tester writes by hand: unreadable payloads, events that do not fit, odd names, gaps.
    pub noise: u32,
    /// The number before the first message.
    pub first_number: i64,
}

/// Which bot acts next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// The k-th bot 1/k as often as the first.
    Zipf,
    /// All alike.
    Even,
    /// One after the other.
    Rounds,
}

/// Tool calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tools {
    /// Thousandths of the runs that call tools.
    pub share: u32,
    /// Most calls of such a run; the fewest are half of it.
    pub calls: i64,
    /// Bytes of what a call prints, at most; 0 for none kept.
    pub artifact_bytes: u64,
    /// Bytes of a result in the lineage, at most.
    pub result_bytes: u64,
    /// Thousandths of the calls that leave a process or ask for an approval.
    pub extras: u32,
}

/// Runs that park.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parks {
    /// Thousandths of the rounds after which a run parks.
    pub share: u32,
    /// Each bot's run after so many finished ones parks and stays so.
    pub last_run: Option<u64>,
    /// Most handles of a wait.
    pub handles: i64,
}

/// Bots that come from others, and bots that go.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lives {
    /// Bots that are no forks, at least.
    pub roots: u64,
    /// Thousandths of the bots beyond the roots that are forks.
    pub forks: u32,
    /// Thousandths of the submissions after which a bot is deleted.
    pub deletions: u32,
    /// Delete half of the roots when half of the rows are there.
    pub drop_half_the_roots: bool,
    /// Thousandths of the new bots that take a deleted bot's name.
    pub recycled: u32,
}

/// What retention and pruning leave of the evidence.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// The newest finished submissions of a bot whose records stay.
    pub keep: Option<usize>,
    /// Thousandths of the other finished submissions whose records are taken away, wherever they are.
    pub lost: u32,
    /// Thousandths of the taken messages whose taken time is missing.
    pub untimed: u32,
    /// Whether records are written at all.
    pub is_recorded: bool,
}

/// How the clock ticks.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Milliseconds since 1970 at the start.
    pub start_ms: i64,
    /// Milliseconds between two acts of the store, at most.
    pub tick_ms: i64,
    /// Times are cut to a multiple of this.
    pub grain_ms: i64,
    /// Thousandths of the runs at which the bot's clock steps back so that the order of its times shows it.
    pub steps: u32,
    /// Thousandths of the rounds at which it steps back without a trace.
    pub hidden_steps: u32,
}

impl Default for Mix {
    fn default() -> Self {
        Self {
            rows: 1000,
            bots: 10,
            activity: Activity::Even,
            steers: 200,
            attached: 10,
            queued: 100,
            cancelled: 50,
            failed_in_line: 20,
            strict: 50,
            interrupted: 30,
            hasty: 30,
            from_bots: 50,
            quoted: 10,
            tools: Tools {
                share: 120,
                calls: 1,
                artifact_bytes: 0,
                result_bytes: 40,
                extras: 0,
            },
            parks: Parks {
                share: 5,
                last_run: None,
                handles: 4,
            },
            lives: Lives::default(),
            evidence: Evidence {
                keep: None,
                lost: 0,
                untimed: 0,
                is_recorded: true,
            },
            clock: Clock {
                start_ms: 1_780_000_000_000,
                tick_ms: 2000,
                grain_ms: 1,
                steps: 0,
                hidden_steps: 0,
            },
            words: Words {
                most_bytes: 5400,
                ..Words::default()
            },
            noise: 0,
            first_number: 0,
        }
    }
}

impl Mix {
    /// A random mix of everything the model can do, 5 to 200 rows: what the properties are tried on.
    pub fn random(dice: &mut Dice, hidden_clock: bool) -> Self {
        let rows = match dice.below(3) {
            0 => dice.range(5, 20),
            1 => dice.range(20, 70),
            _ => dice.range(70, 200),
        };
        let mut up_to = |most: i64| dice.range(0, most) as u32;
        let mut mix = Self {
            rows: rows as u64,
            steers: up_to(700),
            attached: up_to(150),
            queued: up_to(200),
            cancelled: up_to(120),
            failed_in_line: up_to(80),
            strict: up_to(400),
            interrupted: up_to(200),
            hasty: up_to(400),
            from_bots: up_to(300),
            quoted: up_to(200),
            words: Words {
                same: up_to(400),
                long_steers: up_to(300),
                odd: up_to(600),
                most_bytes: HELD_BYTES + 300,
            },
            tools: Tools {
                share: up_to(600),
                calls: 3,
                artifact_bytes: 200,
                result_bytes: 60,
                extras: up_to(300),
            },
            parks: Parks {
                share: up_to(150),
                last_run: None,
                handles: 6,
            },
            ..Self::default()
        };
        mix.draw_rest(dice, hidden_clock);
        mix
    }

    /// Draws what is no plain share.
    fn draw_rest(&mut self, dice: &mut Dice, hidden_clock: bool) {
        let rows = self.rows as i64;
        self.bots = dice.range(1, 1 + rows / 8) as u64;
        self.activity = *dice.pick(&[Activity::Zipf, Activity::Even, Activity::Rounds]);
        self.lives = Lives {
            roots: 1 + dice.below(self.bots),
            forks: dice.range(0, 1000) as u32,
            deletions: if dice.chance(400) {
                dice.range(0, 60) as u32
            } else {
                0
            },
            drop_half_the_roots: false,
            recycled: dice.range(0, 1000) as u32,
        };
        self.evidence = Evidence::random(dice);
        self.clock = Clock::random(dice, hidden_clock);
        self.noise = if dice.chance(500) {
            dice.range(0, 200) as u32
        } else {
            0
        };
        self.first_number = match dice.below(12) {
            0 => i64::MAX - 400 - rows * 8,
            1 => i64::from(u32::MAX) - 20,
            _ => 0,
        };
    }
}

impl Evidence {
    fn random(dice: &mut Dice) -> Self {
        Self {
            keep: if dice.chance(400) {
                Some(dice.range(1, 12) as usize)
            } else {
                None
            },
            lost: if dice.chance(600) {
                dice.range(0, 1000) as u32
            } else {
                0
            },
            untimed: if dice.chance(200) {
                dice.range(0, 200) as u32
            } else {
                0
            },
            is_recorded: !dice.chance(100),
        }
    }
}

impl Clock {
    fn random(dice: &mut Dice, hidden_clock: bool) -> Self {
        let tick_ms = *dice.pick(&[0, 1, 3, 50, 2000]);
        Self {
            start_ms: if dice.chance(100) { 0 } else { 1_780_000_000_000 },
            tick_ms,
            grain_ms: *dice.pick(&[1, 1, 1, 10, 1000]),
            steps: if dice.chance(300) {
                dice.range(1, 200) as u32
            } else {
                0
            },
            hidden_steps: if hidden_clock {
                dice.range(1, 300) as u32
            } else {
                0
            },
        }
    }
}
