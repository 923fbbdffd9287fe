//! The `rex-bench` command.

fn main() {}
