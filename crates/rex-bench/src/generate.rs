//! Seeded stores and homes of known content, one kind a file.

pub mod daemon;
mod dice;

pub use self::dice::Dice;
