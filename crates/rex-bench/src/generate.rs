//! Seeded stores and homes of known content, one kind a file.

pub mod daemon;
mod dice;
pub mod review;
pub mod sessions;

pub use self::dice::Dice;
