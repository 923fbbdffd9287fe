//! Why a store at 90 would not be split: rows that contradict their own status, and things that could not be carried.

use std::collections::BTreeSet;

use rex_store::daemon;
use rex_store::schema::{Difference, Object, ObjectKind, Schema};
use rusqlite::Connection;

use super::{Doing as _, StepError, carry};
use crate::step::Refusal;

/// The tables that the split replaces.
const REPLACED: [&str; 3] = ["turns", "retained_turns", "turn_sequence"];

/// How many rows or names a refusal tells.
const TOLD: usize = 20;

/// Every reason, by its place in [`ROWS`].
const REASONS: [&str; 4] = [
    "a status that version 90 does not know",
    "a status of a message that never ran, and a start or a node of their own all the same",
    "a status of a run, and neither a start nor a node of their own",
    "never run, and own tools, processes, artifacts, approvals, a wait, a view, usage, rounds, retries or paused time",
];

/// One scan; the other tables are only asked about rows that never ran. Most rows are runs that ended, and those are
/// told by one comparison.
const ROWS: &str = "
    SELECT reason, id FROM (
        SELECT id, CASE
            WHEN status = 'completed' AND started_ms IS NOT NULL THEN NULL
            WHEN status NOT IN ('queued', 'attached', 'ready', 'running', 'waiting', 'paced', 'steered', 'completed',
                'failed', 'interrupted') THEN 0
            WHEN started_ms IS NOT NULL OR EXISTS (SELECT 1 FROM nodes n WHERE n.turn = t.id) THEN
                iif(status IN ('steered', 'queued', 'attached', 'ready'), 1, NULL)
            WHEN status IN ('running', 'waiting', 'paced', 'completed') THEN 2
            WHEN waiting IS NOT NULL OR view_sent IS NOT NULL OR model_rounds <> 0 OR input_tokens <> 0
                OR output_tokens <> 0 OR cached_input_tokens <> 0 OR retries <> 0 OR paced_ms <> 0
                OR EXISTS (SELECT 1 FROM tools o WHERE o.turn = t.id)
                OR EXISTS (SELECT 1 FROM processes o WHERE o.turn = t.id)
                OR EXISTS (SELECT 1 FROM artifacts o WHERE o.turn = t.id)
                OR EXISTS (SELECT 1 FROM approvals o WHERE o.turn = t.id) THEN 3
        END AS reason FROM turns t)
    WHERE reason IS NOT NULL ORDER BY id";

/// Reads only.
pub(super) fn look(connection: &Connection, keep_unknown: bool) -> Result<Vec<Refusal>, StepError> {
    let mut refusals = rows(connection)?;
    if keep_unknown {
        refusals.extend(objects(connection)?);
    }
    Ok(refusals)
}

#[derive(Clone, Debug, Default)]
struct Told {
    first: Vec<String>,
    count: u64,
}

impl Told {
    fn add(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.len() < TOLD {
            self.first.push(name());
        }
    }

    fn list(&self) -> String {
        let more = self.count - self.first.len() as u64;
        let first = self.first.join(", ");
        if more == 0 {
            first
        } else {
            format!("{first} and {more} more")
        }
    }
}

fn rows(connection: &Connection) -> Result<Vec<Refusal>, StepError> {
    let doing = "look at the turns";
    let mut told: [Told; REASONS.len()] = Default::default();
    let mut statement = connection.prepare(ROWS).doing(doing)?;
    let mut rows = statement.query([]).doing(doing)?;
    while let Some(row) = rows.next().doing(doing)? {
        let (reason, number): (u8, i64) = row.try_into().doing(doing)?;
        if let Some(told) = told.get_mut(usize::from(reason)) {
            told.add(|| number.to_string());
        }
    }
    let found = REASONS.iter().zip(&told).filter(|(_, told)| told.count > 0);
    Ok(found
        .map(|(reason, told)| Refusal {
            cause: format!("{} rows of turns have {reason}: {}", told.count, told.list()),
            hint: "repair these rows with the application that wrote them, then upgrade".to_owned(),
        })
        .collect())
}

/// Unknown things that would not survive: those on replaced tables, and those that hold a name that is needed.
fn objects(connection: &Connection) -> Result<Vec<Refusal>, StepError> {
    let memory = carry::empty(daemon::create_90)?;
    let found = Schema::read(connection).map_err(StepError::Store)?;
    let differences = found.differences(&Schema::read(&memory).map_err(StepError::Store)?);
    let needed = carry::fresh_91()?;
    let message_columns = carry::column_names(&carry::empty(daemon::create_91)?, "messages")?;
    let mut told = Told::default();
    for difference in &differences {
        let Difference::Extra(object) = difference else {
            continue;
        };
        if let Some(why) = obstacle(connection, object, &needed, &message_columns)? {
            told.add(|| format!("{object} ({why})"));
        }
    }
    if told.count == 0 {
        return Ok(Vec::new());
    }
    Ok(vec![Refusal {
        cause: format!(
            "{} unknown things cannot be carried over: {}",
            told.count,
            told.list()
        ),
        hint: "drop them, upgrade, and make them again for the new tables".to_owned(),
    }])
}

fn obstacle(
    connection: &Connection,
    object: &Object,
    needed: &carry::Fresh,
    message_columns: &BTreeSet<String>,
) -> Result<Option<&'static str>, StepError> {
    let is_on_replaced = REPLACED
        .iter()
        .any(|table| object.table.eq_ignore_ascii_case(table));
    let is_taken =
        |names: &BTreeSet<String>| names.iter().any(|name| name.eq_ignore_ascii_case(&object.name));
    Ok(match object.kind {
        ObjectKind::Column if object.table.eq_ignore_ascii_case("turns") => {
            is_taken(message_columns).then_some("messages has a column of that name")
        }
        ObjectKind::Column if object.table.eq_ignore_ascii_case("events") => object
            .name
            .eq_ignore_ascii_case("message")
            .then_some("the name is needed"),
        ObjectKind::Table | ObjectKind::Index if needed.has(&object.name) => Some("the name is needed"),
        ObjectKind::Column | ObjectKind::Constraint | ObjectKind::Index => {
            is_on_replaced.then_some("its table is replaced")
        }
        ObjectKind::View | ObjectKind::Trigger => (is_on_replaced
            || names_replaced(connection, &object.name)?)
        .then_some("it uses a table that is replaced"),
        ObjectKind::Table => None,
    })
}

/// Says whether the text of a view or a trigger holds the name of a replaced table as a word.
fn names_replaced(connection: &Connection, name: &str) -> Result<bool, StepError> {
    let sql: String = connection
        .query_row(
            "SELECT sql FROM sqlite_schema WHERE name = ?1 AND type IN ('view', 'trigger')",
            [name],
            |row| row.get(0),
        )
        .doing("read the schema")?;
    let mut words = sql.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$');
    Ok(words.any(|word| REPLACED.iter().any(|table| word.eq_ignore_ascii_case(table))))
}
