//! Integration tests of the bench.

mod generate;
