//! Faults that only both witnesses together prove.

pub(super) mod history_mode;
pub(super) mod host_log;
