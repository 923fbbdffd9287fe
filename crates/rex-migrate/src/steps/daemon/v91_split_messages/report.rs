//! What the receipt says about the attribution: counts that add up, and the first members of each class.

use rusqlite::Connection;
use serde_json::{Map, Value, json};

use super::attribute::class;
use super::{Doing as _, StepError};

/// How many members of a class the receipt names.
const FIRST: usize = 20;

/// The classes that are a rule by which messages got their run.
pub(crate) const RULES: [&str; 6] = ["own", "a", "b", "c", "d", "e"];

/// The other classes. `clock_unsafe_bots` has bots' ids as its members, all others numbers of messages.
pub(crate) const OTHERS: [&str; 6] = [
    "without_turn",
    "without_node",
    class::UNSAFE,
    class::DISAGREEMENTS,
    class::UNREADABLE,
    class::DEAD,
];

/// Whether the receipt knows a class of that name.
pub(crate) fn is_class(name: &str) -> bool {
    RULES.contains(&name) || OTHERS.contains(&name)
}

/// The members of a class, ascending: a query on the new tables and on what was found out.
pub(crate) fn members(class: &str) -> String {
    match class {
        "own" => "SELECT id FROM turns ORDER BY id".to_owned(),
        "without_turn" => members("e"),
        "without_node" => {
            "SELECT number FROM messages WHERE status = 'taken' AND node IS NULL ORDER BY number".to_owned()
        }
        rule if RULES.contains(&rule) => {
            format!("SELECT number FROM temp.split_taken WHERE turn_rule = '{rule}' ORDER BY number")
        }
        other => format!("SELECT number FROM temp.split_class WHERE class = '{other}' ORDER BY number"),
    }
}

/// The members of a class, ascending, as the upgrade of a store at 90 would find them.
pub(crate) fn members_before(class: &str) -> String {
    let own = "SELECT t.id AS number, coalesce((SELECT n.id FROM nodes n WHERE n.turn = t.id),
            (SELECT x.node FROM temp.split_taken x WHERE x.number = t.id)) AS node
        FROM turns t WHERE t.started_ms IS NOT NULL OR EXISTS (SELECT 1 FROM nodes n WHERE n.turn = t.id)";
    match class {
        "own" => format!("SELECT number FROM ({own}) ORDER BY number"),
        "without_node" => format!(
            "SELECT number FROM ({own}) WHERE node IS NULL UNION
             SELECT number FROM temp.split_taken WHERE node IS NULL AND turn_rule <> 'own' ORDER BY number"
        ),
        other => members(other),
    }
}

/// The members `attribution` and `first` of the receipt.
pub(super) fn collect(connection: &Connection, old_rows: usize) -> Result<Map<String, Value>, StepError> {
    let count = |sql: &str| -> Result<i64, StepError> {
        connection
            .query_row(sql, [], |row| row.get(0))
            .doing("count what was found out")
    };
    let mut by_rule = Map::new();
    by_rule.insert("own".to_owned(), count("SELECT count(*) FROM turns")?.into());
    for rule in RULES.into_iter().filter(|rule| *rule != "own") {
        let sql = format!("SELECT count(*) FROM temp.split_taken WHERE turn_rule = '{rule}'");
        by_rule.insert(rule.to_owned(), count(&sql)?.into());
    }
    let taken: i64 = by_rule.values().filter_map(Value::as_i64).sum();
    let with_node = count("SELECT count(*) FROM messages WHERE node IS NOT NULL")?;
    let mut attribution = Map::new();
    attribution.insert("read".to_owned(), old_rows.into());
    attribution.insert(
        "written".to_owned(),
        count("SELECT count(*) FROM messages")?.into(),
    );
    attribution.insert(
        "without_turn".to_owned(),
        by_rule.get("e").cloned().unwrap_or_default(),
    );
    attribution.insert("by_rule".to_owned(), by_rule.into());
    attribution.insert("without_node".to_owned(), (taken - with_node).into());
    for class in [
        class::UNSAFE,
        class::DISAGREEMENTS,
        class::UNREADABLE,
        class::DEAD,
    ] {
        let sql = format!("SELECT count(*) FROM temp.split_class WHERE class = '{class}'");
        attribution.insert(class.to_owned(), count(&sql)?.into());
    }
    let mut first = Map::new();
    for class in RULES.into_iter().chain(OTHERS) {
        first.insert(class.to_owned(), first_members(connection, class)?);
    }
    let report = json!({ "attribution": attribution, "first": first });
    Ok(match report {
        Value::Object(report) => report,
        _ => Map::new(),
    })
}

fn first_members(connection: &Connection, class: &str) -> Result<Value, StepError> {
    let sql = format!("{} LIMIT {FIRST}", members(class));
    let numbers: Vec<i64> = connection
        .prepare(&sql)
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .doing("list what was found out")?;
    Ok(numbers.into())
}
