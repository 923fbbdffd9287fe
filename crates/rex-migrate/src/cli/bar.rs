//! The progress bar: one bar for the whole upgrade that also moves within a single long statement.

use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressStyle};

use crate::progress::Progress;

/// A bar on standard error, in thousandths of the whole work.
#[derive(Debug)]
pub struct Bar {
    bar: ProgressBar,
    phase: Mutex<Phase>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Phase {
    start: f64,
    end: f64,
    total: u64,
    ticks: u64,
}

/// Where the phases of an upgrade lie in the whole, by the time they usually take. What a step begins itself is inside
/// [`STEP`].
const PHASES: &[(&str, f64, f64)] = &[
    ("look", 0.0, 150.0),
    ("copy", 150.0, 200.0),
    ("backup", 150.0, 200.0),
    ("looking again", 200.0, 250.0),
    ("digests before", 250.0, 350.0),
    ("digests after", 750.0, 850.0),
    ("foreign keys", 850.0, 950.0),
    ("statistics", 950.0, 970.0),
    ("commit", 970.0, 990.0),
    ("compact", 970.0, 1000.0),
];
const STEP: (f64, f64) = (350.0, 750.0);

/// After so many ticks without a known total a phase is shown as half done.
const HALF_TICKS: f64 = 200.0;

impl Bar {
    /// A bar that shows itself with the first phase.
    pub fn new() -> Self {
        let style = ProgressStyle::with_template("{msg:>16} [{wide_bar}] {percent:>3}%")
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ");
        Self {
            bar: ProgressBar::new(1000).with_style(style),
            phase: Mutex::default(),
        }
    }

    fn show(&self, change: impl FnOnce(&mut Phase) -> f64) {
        // Another thread that panicked while it held the phase has left nothing half done.
        let mut phase = self
            .phase
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let share = change(&mut phase).clamp(0.0, 1.0);
        let position = phase.start + (phase.end - phase.start) * share;
        self.bar.set_position(self.bar.position().max(position as u64));
    }
}

impl Default for Bar {
    fn default() -> Self {
        Self::new()
    }
}

impl Progress for Bar {
    fn begin(&self, phase: &'static str, total: u64, _unit: &'static str) {
        self.bar.set_message(phase);
        let known = PHASES
            .iter()
            .find(|(name, ..)| *name == phase)
            .map(|(_, start, end)| (*start, *end));
        let here = self.bar.position() as f64;
        let (start, end) = known.unwrap_or((here.max(STEP.0), STEP.1));
        self.show(|current| {
            *current = Phase {
                start,
                end,
                total,
                ticks: 0,
            };
            0.0
        });
    }

    fn at(&self, done: u64) {
        self.show(|phase| {
            if phase.total == 0 {
                0.0
            } else {
                done as f64 / phase.total as f64
            }
        });
    }

    fn tick(&self) {
        self.show(|phase| {
            phase.ticks += 1;
            let ticks = phase.ticks as f64;
            ticks / (ticks + HALF_TICKS)
        });
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}
