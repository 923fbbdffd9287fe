//! Runs of forty nodes with large artifacts: bytes and memory.

use super::Shape;
use crate::generate::daemon::mix::{Mix, Tools};

pub(super) const SHAPE: Shape = Shape {
    name: "tool-heavy",
    about: "bytes and memory: 40 nodes a run, large artifacts, 2 GiB",
    rows: 5_000,
    bots: 200,
    mix,
};

fn mix(rows: u64, bots: u64) -> Mix {
    Mix {
        rows,
        bots,
        steers: 50,
        tools: Tools {
            share: 1000,
            calls: 26,
            artifact_bytes: 32_000,
            result_bytes: 6_000,
            extras: 20,
        },
        ..Mix::default()
    }
}
