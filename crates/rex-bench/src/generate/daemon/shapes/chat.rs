//! People talk to 600 bots, to some of them much more than to others; retention keeps the newest 50 a bot.

use super::Shape;
use crate::generate::daemon::mix::{Activity, Evidence, Mix};

pub(super) const SHAPE: Shape = Shape {
    name: "chat",
    about: "the headline: 600 bots, a fifth steers, events for the newest 50 submissions a bot",
    rows: 72_000,
    bots: 600,
    mix,
};

fn mix(rows: u64, bots: u64) -> Mix {
    Mix {
        rows,
        bots,
        activity: Activity::Zipf,
        evidence: Evidence {
            keep: Some(50),
            lost: 0,
            untimed: 0,
            is_recorded: true,
        },
        ..Mix::default()
    }
}
