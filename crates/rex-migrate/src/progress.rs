//! How a long upgrade tells its caller how far it is.

/// Receives progress; a caller that does not care passes [`Silent`].
pub trait Progress: Send + Sync {
    /// A named phase begins; `total` is its size in `unit`s, 0 when unknown.
    fn begin(&self, phase: &'static str, total: u64, unit: &'static str);
    /// So much of the phase is done.
    fn at(&self, done: u64);
    /// SQLite has worked on for about [`TICK_INSTRUCTIONS`] inside a statement: a sign of life, not a measure.
    fn tick(&self) {}
    /// Nothing more is coming.
    fn end(&self) {}
}

/// Instructions of SQLite's virtual machine between two ticks: some 5 ms, far too rare to cost anything.
pub const TICK_INSTRUCTIONS: i32 = 200_000;

/// Says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _phase: &'static str, _total: u64, _unit: &'static str) {}
    fn at(&self, _done: u64) {}
}
