//! Integration tests of the bench.

mod cli;
mod docs;
mod generate;
mod properties;
mod record;
mod review;
mod sessions;
