//! Integration tests of the bench.

mod generate;
mod properties;
mod record;
mod sessions;
