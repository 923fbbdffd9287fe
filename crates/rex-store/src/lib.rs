//! Typed access to the stores of AI conversations: identify, open, read, digest.
pub mod jsonl;
