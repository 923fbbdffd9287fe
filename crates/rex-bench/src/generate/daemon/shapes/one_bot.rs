//! One bot, half of its messages steers, no events, and no row that names a node: the quadratic trap.

use super::Shape;
use crate::generate::daemon::mix::{Evidence, Mix};
use crate::generate::daemon::words::{HELD_BYTES, Words};

pub(super) const SHAPE: Shape = Shape {
    name: "one-bot",
    about: "the quadratic trap: one bot, half steers, no events, nodes unknown",
    rows: 72_000,
    bots: 1,
    mix,
};

fn mix(rows: u64, bots: u64) -> Mix {
    Mix {
        rows,
        bots,
        steers: 500,
        evidence: Evidence {
            keep: None,
            lost: 0,
            untimed: 0,
            is_recorded: false,
        },
        // Longer words would be held by a node that their row names.
        words: Words {
            most_bytes: HELD_BYTES - 1,
            ..Words::default()
        },
        ..Mix::default()
    }
}
