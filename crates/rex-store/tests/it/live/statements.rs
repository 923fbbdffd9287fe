//! Every statement of the write path is in one list, and none reads more than it must.

use std::collections::BTreeSet;

use rex_store::daemon::{self, STATEMENTS, Statement};
use rusqlite::Connection;

fn all() -> impl Iterator<Item = &'static Statement> {
    STATEMENTS.iter().flat_map(|part| part.iter())
}

/// The lines of its plan that read a table or an index whole, sort, or build an index.
fn faults(store: &Connection, sql: &str) -> Vec<String> {
    let mut plan = store.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let lines = plan
        .raw_query()
        .mapped(|row| row.get::<_, String>(3))
        .map(Result::unwrap);
    let is_fault = |line: &String| {
        let constant = line == "SCAN CONSTANT ROW" || line.starts_with("SCAN (subquery");
        (line.starts_with("SCAN") && !constant) || line.contains("TEMP B-TREE") || line.contains("AUTOMATIC")
    };
    lines.filter(is_fault).collect()
}

fn is_planned(sql: &str) -> bool {
    !["BEGIN", "COMMIT", "ROLLBACK"]
        .iter()
        .any(|word| sql.starts_with(word))
}

#[test]
fn no_statement_scans_or_sorts_unless_it_says_why() {
    let store = Connection::open_in_memory().unwrap();
    daemon::create_91(&store).unwrap();
    let mut wrong = Vec::new();
    for statement in all().filter(|statement| is_planned(statement.sql)) {
        let faults = faults(&store, statement.sql);
        if faults.is_empty() != statement.scans.is_none() {
            wrong.push(format!("{}: {faults:?}", statement.name));
        }
    }
    assert!(
        wrong.is_empty(),
        "each scans without a reason, or has a reason and does not scan:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn a_statement_that_scans_or_sorts_is_seen() {
    let store = Connection::open_in_memory().unwrap();
    daemon::create_91(&store).unwrap();
    for sql in [
        "SELECT count(*) FROM messages WHERE words = ?1",
        "SELECT * FROM turns ORDER BY finished_ms",
        "SELECT 1 FROM bots a, bots b WHERE a.model = b.model",
    ] {
        assert!(!faults(&store, sql).is_empty(), "{sql}");
    }
}

#[test]
fn every_statement_has_a_name_and_a_purpose_of_its_own_operation() {
    let names: BTreeSet<_> = all().map(|statement| statement.name).collect();
    assert_eq!(names.len(), all().count(), "a name is there twice");
    for statement in all() {
        let purpose = statement.purpose;
        assert!(
            purpose.starts_with(|first: char| first.is_lowercase()) && !purpose.ends_with('.'),
            "{purpose}"
        );
    }
}

/// A constant that is in no list would run unplanned; so would SQL that is no constant.
#[test]
fn every_statement_in_the_source_is_in_the_list() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/daemon");
    let mut declared = 0;
    let mut files = vec![
        source.join("prune.rs"),
        source.join("resend.rs"),
        source.join("sequence.rs"),
    ];
    files.extend(
        std::fs::read_dir(source.join("live"))
            .unwrap()
            .map(|file| file.unwrap().path()),
    );
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        declared += text.matches("Statement::new(").count();
        for call in [
            "prepare_cached(",
            "execute_batch(",
            "connection.execute(",
            "connection.prepare(",
            "query_row(",
        ] {
            assert!(
                !text.contains(call),
                "{} runs SQL past the list: {call}",
                file.display()
            );
        }
    }
    assert_eq!(declared, all().count());
}
