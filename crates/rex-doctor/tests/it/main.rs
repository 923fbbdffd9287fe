//! Integration tests of the doctor: one binary.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may panic: that is how it fails"
)]

mod cli;
mod demo;
mod docs;
mod fixture;
mod fixtures;
mod hostile;
mod recorded;
mod run;
mod tree;
