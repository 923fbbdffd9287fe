//! Upgrades old conversation stores in place, proven before the commit.

pub mod clock;
pub mod explain;
pub mod family;
pub mod files;
pub mod progress;
pub mod step;
pub mod steps;
