//! Exit status of `rex-bench`.

use crate::error::BenchError;

/// Done.
pub const DONE: u8 = 0;
/// The work could not be done; nothing was left behind.
pub const FAILED: u8 = 1;
/// The command line is wrong.
pub const USAGE: u8 = 2;
/// Refused, and nothing changed: the output exists already.
pub const REFUSED: u8 = 3;

/// Every status with its name and what it means.
pub const ALL: &[(u8, &str, &str)] = &[
    (DONE, "done", "The work is done."),
    (
        FAILED,
        "failed",
        "The work could not be done; nothing was left behind.",
    ),
    (USAGE, "usage", "The command line is wrong; nothing was written."),
    (
        REFUSED,
        "refused",
        "The output exists already; nothing has changed.",
    ),
];

/// The status that an error ends with.
#[deny(clippy::wildcard_enum_match_arm)]
pub fn of(error: &BenchError) -> u8 {
    match error {
        BenchError::OutputExists { .. } => REFUSED,
        BenchError::UnknownShape { .. } => USAGE,
        BenchError::File { .. }
        | BenchError::Sqlite { .. }
        | BenchError::Child { .. }
        | BenchError::Upgrade { .. }
        | BenchError::Record { .. } => FAILED,
    }
}
