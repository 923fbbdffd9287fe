//! Every bot waits: its last run is parked on up to 64 handles.

use super::Shape;
use crate::generate::daemon::mix::{Activity, Mix, Parks};

pub(super) const SHAPE: Shape = Shape {
    name: "parked",
    about: "waits: the last run of each of 5,000 bots is parked on 1 to 64 handles",
    rows: 10_000,
    bots: 5_000,
    mix,
};

fn mix(rows: u64, bots: u64) -> Mix {
    let last_run = (rows / bots.max(1)).saturating_sub(1);
    Mix {
        rows,
        bots,
        activity: Activity::Rounds,
        steers: 0,
        attached: 0,
        queued: 0,
        cancelled: 0,
        failed_in_line: 0,
        parks: Parks {
            share: 0,
            last_run: Some(last_run),
            handles: 64,
        },
        ..Mix::default()
    }
}
