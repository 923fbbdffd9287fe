//! Walks all fixtures: each is found to hold exactly what it says, and nothing in it changes.

use std::collections::BTreeSet;

use rex_doctor::scan;
use serde_json::Value;

use crate::fixture::{self, Built, Fixture};
use crate::run::THREADS;
use crate::tree::{differences, tree};

#[test]
fn every_fixture_holds_exactly_the_findings_it_names() {
    let faults = scan::each(&fixture::all(), THREADS, |(name, fixture)| faults(name, fixture)).concat();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn faults(name: &str, fixture: &Fixture) -> Vec<String> {
    let mut faults = vec![];
    let agent = name.split('/').next().unwrap();
    let built = fixture.build();
    let said = built.doctor(&["session", &built.argument, "--agent", agent, "--json"]);
    let answer: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{name}: {}", said.err));
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
    if is_healthy && said.code != 0 {
        faults.push(format!("{name}: exit status {} on a healthy session", said.code));
    }
    if fixture.why.is_empty() {
        faults.push(format!("{name}: says not why"));
    }
    faults
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
    let untouched = scan::each(&fixture::all(), THREADS, |(name, fixture)| {
        leaves_no_trace(name, fixture);
    });
    assert!(!untouched.is_empty());
}

fn leaves_no_trace(name: &str, fixture: &Fixture) {
    let built = fixture.build();
    let before = tree(built.root());
    for arguments in commands(&built) {
        let said = built.doctor(&arguments);
        assert_ne!(said.code, 2, "{name} {arguments:?}: {said:?}");
        let changed = differences(&before, &tree(built.root()));
        assert!(changed.is_empty(), "{name} {arguments:?}: changed {changed:?}");
    }
}

fn commands(built: &Built) -> Vec<Vec<&str>> {
    let argument = built.argument.as_str();
    vec![
        vec!["check"],
        vec!["check", "--deep", "--json"],
        vec!["sessions"],
        vec!["sessions", "--problems"],
        vec!["sessions", "--here", "--json"],
        vec!["session", argument],
        vec!["session", argument, "--json"],
    ]
}
