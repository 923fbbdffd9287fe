//! Forks of forks: lineages that cross bots, half of the first bots deleted, their names taken by others.

use super::Shape;
use crate::generate::daemon::mix::{Evidence, Lives, Mix};
use crate::generate::daemon::words::Words;

pub(super) const SHAPE: Shape = Shape {
    name: "deep-fork",
    about: "lineages: 2,000 forks of 20 roots, half the roots deleted, names recycled",
    rows: 10_000,
    bots: 2_020,
    mix,
};

fn mix(rows: u64, bots: u64) -> Mix {
    let defaults = Mix::default();
    Mix {
        rows,
        bots,
        steers: 100,
        lives: Lives {
            roots: (bots / 101).max(1),
            forks: 1000,
            drop_half_the_roots: true,
            recycled: 1000,
            ..Lives::default()
        },
        evidence: Evidence {
            keep: None,
            lost: 500,
            untimed: 0,
            is_recorded: true,
        },
        words: Words {
            long_steers: 400,
            ..defaults.words.clone()
        },
        ..defaults
    }
}
