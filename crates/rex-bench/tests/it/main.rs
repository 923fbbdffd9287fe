//! Integration tests of the bench.

mod cli;
mod generate;
mod properties;
mod record;
mod sessions;
