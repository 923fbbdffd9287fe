//! Integration tests of the bench.

mod generate;
mod sessions;
