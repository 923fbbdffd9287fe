//! Upgrades old conversation stores in place, proven before the commit.

mod apply;
pub mod backup;
pub mod cli;
pub mod clock;
mod copy;
pub mod engine;
pub mod error;
pub mod exit_code;
pub mod explain;
pub mod family;
pub mod files;
mod lock;
pub mod look;
pub mod plan;
pub mod progress;
mod prove;
pub mod receipt;
pub mod restore;
mod space;
mod spelled;
pub mod status;
pub mod step;
pub mod steps;
pub mod survey;
pub mod verify;
