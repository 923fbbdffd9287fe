//! Upgrades old conversation stores in place, proven before the commit.

pub mod progress;
pub mod step;
