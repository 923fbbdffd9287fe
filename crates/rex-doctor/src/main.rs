//! The `rex-doctor` command.

fn main() {}
