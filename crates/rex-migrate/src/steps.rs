//! The list of all steps: the only registration.

use crate::step::Step;

pub mod daemon;
pub mod review;

/// Every step, oldest first.
pub const ALL: &[Step] = &[daemon::v91_split_messages::STEP];
