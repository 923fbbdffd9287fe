//! Upgrades old conversation stores in place, proven before the commit.

mod apply;
pub mod backup;
pub mod clock;
mod copy;
pub mod engine;
pub mod error;
pub mod explain;
pub mod family;
pub mod files;
mod lock;
pub mod look;
pub mod progress;
mod prove;
pub mod receipt;
mod space;
pub mod step;
pub mod steps;
