//! Times alone are left, many of them equal, and some clocks step back.

use super::Shape;
use crate::generate::daemon::mix::{Clock, Evidence, Mix};

pub(super) const SHAPE: Shape = Shape {
    name: "ties",
    about: "soundness: no evidence but times, many of them equal, some clock steps",
    rows: 20_000,
    bots: 50,
    mix,
};

fn mix(rows: u64, bots: u64) -> Mix {
    let defaults = Mix::default();
    Mix {
        rows,
        bots,
        steers: 600,
        evidence: Evidence {
            keep: None,
            lost: 0,
            untimed: 0,
            is_recorded: false,
        },
        clock: Clock {
            grain_ms: 120_000,
            steps: 3,
            ..defaults.clock
        },
        ..defaults
    }
}
