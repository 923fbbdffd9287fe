//! The `rex-migrate` command.

fn main() {}
