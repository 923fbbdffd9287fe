//! The shapes worth measuring, one a file; this list is the only registration.

use super::mix::Mix;

mod chat;
mod deep_fork;
mod one_bot;
mod parked;
mod same_words;
mod ties;
mod tool_heavy;

/// A named mix.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// What the command line calls it.
    pub name: &'static str,
    /// What it is for, in one line.
    pub about: &'static str,
    /// Rows unless others are asked for.
    pub rows: u64,
    /// Bots unless others are asked for.
    pub bots: u64,
    /// The mix at so many rows and bots.
    pub mix: fn(rows: u64, bots: u64) -> Mix,
}

/// Every shape.
pub const ALL: [Shape; 7] = [
    chat::SHAPE,
    one_bot::SHAPE,
    ties::SHAPE,
    same_words::SHAPE,
    tool_heavy::SHAPE,
    deep_fork::SHAPE,
    parked::SHAPE,
];
