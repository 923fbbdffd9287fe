//! Typed access to the stores of AI conversations: identify, open, read, digest.

pub mod daemon;
pub mod digest;
pub mod error;
pub mod handle;
pub mod identify;
pub mod jsonl;
pub mod open;
pub mod schema;
