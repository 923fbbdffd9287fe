//! Whether foreign keys hold, by each distinct value once: ten thousand rows of one bot need not look it up each.
//!
//! Only ever spares SQLite's own check where there is nothing to find; what is wrong is left to that to count.

use rusqlite::{Connection, OptionalExtension as _, Result};

/// One column that names a row of another table.
struct Key {
    child: String,
    parent: String,
    column: String,
    is_integer: bool,
}

/// Whether every key of a table is known to hold; `false` also where that is not as cheap to know.
pub(super) fn are_sound(connection: &Connection, table: &str) -> Result<bool> {
    let Some(keys) = keys(connection, table)? else {
        return Ok(false);
    };
    for key in keys {
        if !is_sound(connection, table, &key)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `None` unless each key is one column of the same declared type as the column that it names: between others SQLite
/// would compare by other rules.
fn keys(connection: &Connection, table: &str) -> Result<Option<Vec<Key>>> {
    connection
        .prepare(
            "SELECT k.\"from\", k.\"table\",
                (SELECT p.name FROM pragma_table_info(k.\"table\") p WHERE p.type = c.type
                    AND iif(k.\"to\" IS NULL, p.pk = 1, p.name = k.\"to\" COLLATE NOCASE)),
                (SELECT count(*) FROM pragma_foreign_key_list(?1) o WHERE o.id = k.id), c.type = 'INTEGER'
             FROM pragma_foreign_key_list(?1) k JOIN pragma_table_info(?1) c ON c.name = k.\"from\" COLLATE NOCASE",
        )?
        .query_map([table], |row| {
            let (column, columns): (Option<String>, i64) = (row.get(2)?, row.get(3)?);
            let (child, parent, is_integer) = (row.get(0)?, row.get(1)?, row.get(4)?);
            let column = column.filter(|_| columns == 1);
            Ok(column.map(|column| Key {
                child,
                parent,
                column,
                is_integer,
            }))
        })?
        .collect()
}

/// Values are told apart byte by byte, and each is compared as the parent compares, which is SQLite's own rule.
/// Numbers mostly differ from row to row, and in their order a row is found where the last one was: no set is made of them.
fn is_sound(connection: &Connection, table: &str, key: &Key) -> Result<bool> {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let (table, child) = (quoted(table), quoted(&key.child));
    let (parent, column) = (quoted(&key.parent), quoted(&key.column));
    let distinct = if key.is_integer { "" } else { "DISTINCT" };
    connection
        .prepare(&format!(
            "SELECT 1 FROM (SELECT {distinct} {child} COLLATE BINARY AS named FROM {table} WHERE {child} IS NOT NULL)
             WHERE NOT EXISTS (SELECT 1 FROM {parent} p WHERE p.{column} = named) LIMIT 1"
        ))?
        .query_row([], |_| Ok(()))
        .optional()
        .map(|found| found.is_none())
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::are_sound;

    #[test]
    fn only_what_surely_holds_is_called_sound() {
        let parents =
            "CREATE TABLE p(id INTEGER PRIMARY KEY, name TEXT UNIQUE, twin TEXT UNIQUE COLLATE NOCASE);
             INSERT INTO p VALUES (1, 'a', 'a'), (2, 'b', 'b');";
        for (is_sound, definition, rows, why) in [
            (
                true,
                "x INTEGER REFERENCES p",
                "(1), (2), (1), (NULL)",
                "every row is there",
            ),
            (
                true,
                "x TEXT REFERENCES p(name)",
                "('a'), ('b'), ('a')",
                "every name is there",
            ),
            (true, "x TEXT REFERENCES P(NAME)", "('a')", "names have no case"),
            (true, "x TEXT", "('z')", "no key at all"),
            (false, "x INTEGER REFERENCES p", "(1), (3)", "row 3 is not there"),
            (false, "x TEXT REFERENCES p(name)", "('a'), ('A')", "another case"),
            (false, "x TEXT REFERENCES p(name)", "('a'), ('')", "an empty name"),
            (
                true,
                "x TEXT REFERENCES p(twin)",
                "('A')",
                "there, as the parent compares",
            ),
            (
                false,
                "x TEXT COLLATE NOCASE REFERENCES p(name)",
                "('a'), ('A')",
                "one of two twins",
            ),
            (false, "x TEXT REFERENCES p", "('1')", "types differ"),
            (false, "x INTEGER REFERENCES q", "(1)", "no such table"),
            (
                false,
                "x INTEGER, FOREIGN KEY (x, x) REFERENCES p(id, name)",
                "(1)",
                "two columns",
            ),
        ] {
            let connection = Connection::open_in_memory().expect("a database");
            connection
                .execute_batch("PRAGMA foreign_keys = OFF")
                .expect("off");
            connection
                .execute_batch(&format!(
                    "{parents} CREATE TABLE t({definition}); INSERT INTO t VALUES {rows};"
                ))
                .expect("a table");
            assert_eq!(are_sound(&connection, "t").ok(), Some(is_sound), "{why}");
        }
    }
}
