//! What the README shows of the upgrade.

use std::path::Path;

/// Lines whose values are the machine's: how fast it is, and how much of its disk is free.
const OF_THE_MACHINE: [&str; 6] = [
    "disk needed",
    "expected",
    "could be upgraded",
    "CPU",
    "written",
    "peak memory",
];

fn settle(text: &str) -> String {
    let settled = text.lines().map(|line| {
        OF_THE_MACHINE
            .into_iter()
            .find(|label| line.strip_prefix(' ').is_some_and(|rest| rest.starts_with(label)))
            .unwrap_or(line)
    });
    settled.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_readme_shows_what_an_upgrade_prints() {
    testkit::readme::assert_outputs(
        "rex-migrate",
        Path::new(env!("CARGO_BIN_EXE_rex-migrate")),
        settle,
    );
}
