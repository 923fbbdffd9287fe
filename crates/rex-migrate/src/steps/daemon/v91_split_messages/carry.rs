//! What comes from elsewhere: the definitions of a fresh store at 91, and unknown columns of `turns`.

use std::collections::{BTreeMap, BTreeSet};

use rex_store::daemon;
use rex_store::error::StoreError;
use rusqlite::Connection;

use super::{Doing as _, StepError};

/// The definitions of a fresh store, by name.
pub(super) struct Fresh {
    definitions: BTreeMap<String, String>,
}

impl Fresh {
    /// The statement that makes a table or an index; empty if there is none of that name.
    pub(super) fn definition(&self, name: &str) -> &str {
        self.definitions.get(name).map_or("", String::as_str)
    }

    /// Whether a fresh store has a table or an index of that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.definitions
            .keys()
            .any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// Reads the definitions of a fresh store at 91.
pub(super) fn fresh_91() -> Result<Fresh, StepError> {
    let memory = empty(daemon::create_91)?;
    let definitions = memory
        .prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
        .and_then(|mut statement| {
            statement
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
        .doing("read the schema of a fresh store")?;
    Ok(Fresh { definitions })
}

/// Makes an empty store in memory.
pub(super) fn empty(create: fn(&Connection) -> Result<(), StoreError>) -> Result<Connection, StepError> {
    let memory = Connection::open_in_memory().doing("make a fresh store")?;
    create(&memory).map_err(StepError::Store)?;
    Ok(memory)
}

/// A column of `turns` that 90 does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    /// Its name, quoted.
    pub(super) name: String,
    /// Its definition as it stands in the table's.
    pub(super) definition: String,
}

/// The unknown columns of `turns`.
pub(super) fn columns(connection: &Connection) -> Result<Vec<Column>, StepError> {
    let doing = "read the columns of turns";
    let known = column_names(&empty(daemon::create_90)?, "turns")?;
    let sql: String = connection
        .query_row("SELECT sql FROM sqlite_schema WHERE name = 'turns'", [], |row| {
            row.get(0)
        })
        .doing(doing)?;
    let definitions = definitions(&sql);
    let unknown = column_names(connection, "turns")?
        .into_iter()
        .filter(|name| !known.contains(name));
    Ok(unknown
        .filter_map(|name| {
            let definition = definitions
                .iter()
                .find(|definition| is_named(definition, &name))?;
            Some(Column {
                name: quoted(&name),
                definition: (*definition).to_owned(),
            })
        })
        .collect())
}

/// The columns of a table, those that are worked out included.
pub(super) fn column_names(connection: &Connection, table: &str) -> Result<BTreeSet<String>, StepError> {
    connection
        .prepare("SELECT name FROM pragma_table_xinfo(?1)")
        .and_then(|mut statement| statement.query_map([table], |row| row.get(0))?.collect())
        .doing("read the columns of a table")
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn is_named(definition: &str, name: &str) -> bool {
    let spellings = [
        name.to_owned(),
        quoted(name),
        format!("[{name}]"),
        format!("`{name}`"),
        format!("'{name}'"),
    ];
    spellings.iter().any(|spelling| {
        let rest = definition
            .get(..spelling.len())
            .filter(|start| start.eq_ignore_ascii_case(spelling));
        let next = definition
            .get(spelling.len()..)
            .and_then(|rest| rest.chars().next());
        rest.is_some() && next.is_none_or(|next| !next.is_alphanumeric() && next != '_' && next != '$')
    })
}

/// The parts between the outer parentheses of a table's definition, comments cut off at their ends.
fn definitions(sql: &str) -> Vec<&str> {
    let bytes = sql.as_bytes();
    let (mut parts, mut depth, mut at, mut start) = (Vec::new(), 0_u32, 0, 0);
    while let Some(&byte) = bytes.get(at) {
        let next = after(bytes, at);
        match byte {
            b'(' => {
                depth += 1;
                if depth == 1 {
                    start = next;
                }
            }
            b')' if depth == 1 => {
                parts.push(sql.get(start..at).unwrap_or_default());
                break;
            }
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 1 => {
                parts.push(sql.get(start..at).unwrap_or_default());
                start = next;
            }
            _ => {}
        }
        at = next;
    }
    parts.into_iter().map(uncommented).collect()
}

/// The place behind a token: a string, a quoted name or a comment counts as one.
fn after(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let until = |end: &[u8], from: usize| {
        let found = rest
            .get(from..)
            .unwrap_or_default()
            .windows(end.len())
            .position(|window| window == end);
        at + found.map_or(rest.len(), |found| from + found + end.len())
    };
    match rest {
        [b'-', b'-', ..] => until(b"\n", 2),
        [b'/', b'*', ..] => until(b"*/", 2),
        [b'[', ..] => until(b"]", 1),
        [quote @ (b'\'' | b'"' | b'`'), ..] => until(&[*quote], 1),
        _ => at + 1,
    }
}

/// A comment that ends the line before belongs to the definition before.
fn uncommented(mut definition: &str) -> &str {
    loop {
        definition = definition.trim();
        let end = after(definition.as_bytes(), 0);
        match definition.get(end..) {
            Some(rest) if definition.starts_with("--") || definition.starts_with("/*") => definition = rest,
            _ => return definition,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found_whatever_stands_around_them() {
        let sql = "CREATE TABLE t(\n  id INTEGER PRIMARY KEY, -- a, (b\n  \"a b\" TEXT DEFAULT ',' CHECK (x IN (1,2)), /* , */ [c] INT\n, UNIQUE (id))";
        assert_eq!(
            definitions(sql),
            [
                "id INTEGER PRIMARY KEY",
                "\"a b\" TEXT DEFAULT ',' CHECK (x IN (1,2))",
                "[c] INT",
                "UNIQUE (id)"
            ]
        );
        assert!(is_named("\"a b\" TEXT", "a b") && is_named("[c] INT", "C") && is_named("c", "c"));
        assert!(!is_named("cc INT", "c") && !is_named("c_d INT", "c"));
    }
}
