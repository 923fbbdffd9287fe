//! The README's commands: each is run, and its output held against what the page shows.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::page::{is_updating, repository};

const FENCE: &str = "```console\n";

/// Runs every `$ cargo run --release -p TOOL -- ARGS` of the README with `binary` in its place, from the repository's root and in
/// an empty environment, and asserts that the page shows its output; with `UPDATE_DOCS=1` puts the output there first.
/// `settle` replaces what differs from run to run (times, sizes of the machine) before the two are compared; the page itself holds
/// the output of one real run.
///
/// # Panics
/// When the README names no command of `tool`, or shows another output.
pub fn assert_outputs(tool: &str, binary: &Path, settle: fn(&str) -> String) {
    let file = repository().join("README.md");
    let page = fs::read_to_string(&file).expect("the README can be read");
    let prefix = format!("$ cargo run --release -p {tool} -- ");
    let mut rendered = String::new();
    let mut count = 0_usize;
    for (index, part) in page.split(FENCE).enumerate() {
        if index > 0 {
            rendered.push_str(FENCE);
        }
        match part.strip_prefix(&prefix).and_then(|rest| rest.split_once('\n')) {
            Some((arguments, rest)) if index > 0 => {
                count += 1;
                let (_, after) = rest.split_once("```").expect("the block ends");
                let shown = output(binary, arguments);
                rendered.extend([prefix.as_str(), arguments, "\n", shown.as_str(), "```", after]);
            }
            _ => rendered.push_str(part),
        }
    }
    assert!(count > 0, "the README shows no command of {tool}");
    if is_updating() && settle(&page) != settle(&rendered) {
        fs::write(&file, &rendered).expect("the README can be written");
    }
    let held = fs::read_to_string(&file).expect("the README can be read");
    assert!(
        settle(&held) == settle(&rendered),
        "the README shows another output of {tool} than:\n{rendered}"
    );
}

fn output(binary: &Path, arguments: &str) -> String {
    let result = Command::new(binary)
        .args(arguments.split(' '))
        .env_clear()
        .env("HOME", "/nonexistent")
        .current_dir(repository())
        .output()
        .expect("the command runs");
    String::from_utf8(result.stdout).expect("the output is text")
}
