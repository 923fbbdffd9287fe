//! Walks all fixtures: each is found to hold exactly what it says, and nothing in it changes.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::fixture::{self, Built};
use crate::tree::{differences, tree};

#[test]
fn every_fixture_holds_exactly_the_findings_it_names() {
    let mut faults = vec![];
    for (name, fixture) in fixture::all() {
        let agent = name.split('/').next().unwrap();
        let built = fixture.build();
        let output = built.doctor(&["session", &built.argument, "--agent", agent, "--json"]);
        let answer: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{name}: {}", String::from_utf8_lossy(&output.stderr)));
        let ids = |finding: &Value| finding["id"].as_str().unwrap().to_owned();
        let found: BTreeSet<String> = answer["findings"].as_array().unwrap().iter().map(ids).collect();
        let expected: BTreeSet<String> = fixture.findings.iter().cloned().collect();
        if found != expected {
            faults.push(format!("{name}: found {found:?}, expected {expected:?}"));
        }
        let is_healthy = name.split('/').nth(1) == Some("healthy");
        if !is_healthy && !expected.contains(&name.replace('/', ".")) {
            faults.push(format!("{name}: its own id is not among its findings"));
        }
        if is_healthy && output.status.code() != Some(0) {
            faults.push(format!(
                "{name}: exit status {:?} on a healthy session",
                output.status.code()
            ));
        }
        if fixture.why.is_empty() {
            faults.push(format!("{name}: says not why"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_check_has_a_fixture() {
    let names: BTreeSet<String> = fixture::all()
        .into_iter()
        .map(|(name, _)| name.replace('/', "."))
        .collect();
    let checks = rex_doctor::agents::ALL.iter().flat_map(|agent| (agent.checks)());
    let bare: Vec<&str> = checks
        .map(|about| about.id)
        .filter(|id| !names.contains(*id))
        .collect();
    assert!(bare.is_empty(), "these checks have no fixture: {bare:?}");
}

#[test]
fn no_command_changes_anything_below_the_homes() {
    for (name, fixture) in fixture::all() {
        let built = fixture.build();
        let before = tree(built.root());
        for arguments in commands(&built) {
            let output = built.doctor(&arguments);
            assert!(
                output.status.code().is_some_and(|code| code != 2),
                "{name} {arguments:?}: {output:?}"
            );
            let changed = differences(&before, &tree(built.root()));
            assert!(changed.is_empty(), "{name} {arguments:?}: changed {changed:?}");
        }
    }
}

fn commands(built: &Built) -> Vec<Vec<&str>> {
    let argument = built.argument.as_str();
    vec![
        vec!["check"],
        vec!["check", "--deep", "--json"],
        vec!["sessions"],
        vec!["sessions", "--here", "--json"],
        vec!["session", argument],
        vec!["session", argument, "--json"],
    ]
}
