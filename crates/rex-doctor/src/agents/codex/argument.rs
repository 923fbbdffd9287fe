//! Faults of what the person asked for.

pub(super) mod ambiguous;
pub(super) mod no_trace;
pub(super) mod trace_only;
pub(super) mod treated_as_name;
