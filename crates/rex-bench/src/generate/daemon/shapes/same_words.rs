//! Nearly everybody says "go on", and half of the events are gone.

use super::Shape;
use crate::generate::daemon::mix::{Evidence, Mix};
use crate::generate::daemon::words::Words;

pub(super) const SHAPE: Shape = Shape {
    name: "same-words",
    about: "attribution by words: four fifths are steers that say \"go on\", half the events gone",
    rows: 20_000,
    bots: 10,
    mix,
};

fn mix(rows: u64, bots: u64) -> Mix {
    let defaults = Mix::default();
    Mix {
        rows,
        bots,
        steers: 800,
        evidence: Evidence {
            keep: None,
            lost: 500,
            untimed: 0,
            is_recorded: true,
        },
        words: Words {
            same: 1000,
            ..defaults.words.clone()
        },
        ..defaults
    }
}
