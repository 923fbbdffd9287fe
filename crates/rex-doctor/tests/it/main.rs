//! Integration tests of the doctor: one binary.

mod recorded;
mod tree;
