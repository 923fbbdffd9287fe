//! Schemas in a normal form, and how two of them differ.

mod table;
mod token;

use std::collections::BTreeMap;
use std::fmt;

use rusqlite::Connection;

use self::table::Table;
use self::token::Token;
use crate::error::{Doing, StoreError};

/// What kind of thing a schema holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectKind {
    /// A table, virtual ones included.
    Table,
    /// A column of a table.
    Column,
    /// A key, uniqueness, CHECK or foreign key of a table; its name is its normalised text.
    Constraint,
    /// An index.
    Index,
    /// A trigger.
    Trigger,
    /// A view.
    View,
}

/// One thing of a schema.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// Its name.
    pub name: String,
    /// The table it belongs to; of a table its own name.
    pub table: String,
}

/// One way in which a schema differs from the expected one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// Expected, and not there.
    Missing(Object),
    /// There, and not expected.
    Extra(Object),
    /// There, but another.
    Changed {
        /// What differs.
        object: Object,
        /// Its normalised text as found.
        found: String,
        /// Its normalised text as expected.
        expected: String,
    },
}

/// A schema in a normal form: comments, blanks, quotes of plain names, the case of keywords and types, names of
/// constraints and whether a constraint stands at its column or at the table's end make no difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    objects: BTreeMap<Object, String>,
    column_orders: BTreeMap<String, Vec<String>>,
}

impl Schema {
    /// Reads the schema of a database. What is called `sqlite_%` is SQLite's own and left out.
    ///
    /// # Errors
    /// [`StoreError::Sqlite`].
    pub fn read(connection: &Connection) -> Result<Self, StoreError> {
        let mut schema = Self::default();
        let mut statement = connection.prepare(OBJECTS).doing("read the schema")?;
        let mut rows = statement.query([]).doing("read the schema")?;
        while let Some(row) = rows.next().doing("read the schema")? {
            let (kind, name, table, sql): (String, String, String, String) =
                row.try_into().doing("read the schema")?;
            schema.add(&kind, name, table, &token::tokens(&sql));
        }
        Ok(schema)
    }

    fn add(&mut self, kind: &str, name: String, table: String, tokens: &[Token]) {
        let kind = match kind {
            "index" => ObjectKind::Index,
            "trigger" => ObjectKind::Trigger,
            "view" => ObjectKind::View,
            _ if tokens.iter().any(|token| token.is("TABLE")) && !is_virtual(tokens) => {
                self.add_table(&name, Table::parse(tokens));
                return;
            }
            _ => ObjectKind::Table,
        };
        let text = if kind == ObjectKind::Index {
            index_text(tokens)
        } else {
            token::join(tokens)
        };
        self.objects.insert(Object { kind, name, table }, text);
    }

    fn add_table(&mut self, name: &str, table: Table) {
        let object = |kind, own: &str| Object {
            kind,
            name: own.to_owned(),
            table: name.to_owned(),
        };
        self.objects
            .insert(object(ObjectKind::Table, name), table.options);
        self.column_orders.insert(
            name.to_owned(),
            table.columns.iter().map(|(column, _)| column.clone()).collect(),
        );
        for (column, text) in table.columns {
            self.objects.insert(object(ObjectKind::Column, &column), text);
        }
        for text in table.constraints {
            self.objects
                .insert(object(ObjectKind::Constraint, &text), String::new());
        }
    }

    /// Lists how this schema, the one found, differs from the expected one; nothing if they are equal. Of a table
    /// that only one of them has, nothing but the table is listed.
    pub fn differences(&self, expected: &Self) -> Vec<Difference> {
        let mut differences = Vec::new();
        for (object, text) in &self.objects {
            match expected.objects.get(object) {
                None if expected.has_home_of(object) => differences.push(Difference::Extra(object.clone())),
                Some(other) if other != text => {
                    differences.push(Difference::Changed {
                        object: object.clone(),
                        found: text.clone(),
                        expected: other.clone(),
                    });
                }
                _ => {}
            }
        }
        let missing = expected
            .objects
            .keys()
            .filter(|object| !self.objects.contains_key(object));
        differences.extend(
            missing
                .filter(|object| self.has_home_of(object))
                .cloned()
                .map(Difference::Missing),
        );
        differences.extend(
            self.column_orders
                .keys()
                .filter_map(|table| self.other_order(expected, table)),
        );
        differences
    }

    fn has_home_of(&self, object: &Object) -> bool {
        let home = |kind| Object {
            kind,
            name: object.table.clone(),
            table: object.table.clone(),
        };
        matches!(object.kind, ObjectKind::Table | ObjectKind::View)
            || self.objects.contains_key(&home(ObjectKind::Table))
            || self.objects.contains_key(&home(ObjectKind::View))
    }

    /// Compares the order of the columns that both have: rows are written by position too.
    fn other_order(&self, expected: &Self, table: &str) -> Option<Difference> {
        let (ours, theirs) = (self.column_orders.get(table)?, expected.column_orders.get(table)?);
        let common = |list: &[String], other: &[String]| -> Vec<String> {
            list.iter()
                .filter(|column| other.contains(column))
                .cloned()
                .collect()
        };
        let (found, expected) = (common(ours, theirs), common(theirs, ours));
        (found != expected).then(|| Difference::Changed {
            object: Object {
                kind: ObjectKind::Table,
                name: table.to_owned(),
                table: table.to_owned(),
            },
            found: format!("( {} )", found.join(" , ")),
            expected: format!("( {} )", expected.join(" , ")),
        })
    }
}

/// An index that SQLite made for a constraint has no text.
const OBJECTS: &str = "SELECT type, name, tbl_name, sql FROM sqlite_schema
    WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql IS NOT NULL";

fn is_virtual(tokens: &[Token]) -> bool {
    tokens.get(1).is_some_and(|token| token.is("VIRTUAL"))
}

/// From UNIQUE or the columns on: the names are compared apart, and ascending is what an index is anyway.
fn index_text(tokens: &[Token]) -> String {
    let unique = if tokens.get(1).is_some_and(|token| token.is("UNIQUE")) {
        "UNIQUE "
    } else {
        ""
    };
    let columns = tokens
        .iter()
        .skip_while(|token| !token.is("("))
        .filter(|token| !token.is("ASC"));
    unique.to_owned() + &token::join(columns)
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Table => "table",
            Self::Column => "column",
            Self::Constraint => "constraint",
            Self::Index => "index",
            Self::Trigger => "trigger",
            Self::View => "view",
        })
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ObjectKind::Table | ObjectKind::View => write!(f, "{} {}", self.kind, self.name),
            ObjectKind::Column => write!(f, "column {}.{}", self.table, self.name),
            _ => write!(f, "{} {} of {}", self.kind, self.name, self.table),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(object) => write!(f, "{object} is missing"),
            Self::Extra(object) => write!(f, "{object} is unknown"),
            Self::Changed {
                object,
                found,
                expected,
            } => write!(f, "{object} is {found}, not {expected}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(sql: &str) -> Schema {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(sql)
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
        Schema::read(&connection).unwrap()
    }

    fn differences(found: &str, expected: &str) -> Vec<String> {
        let all = "CREATE TABLE b(x); CREATE TABLE [odd name](x);";
        let of = |sql: &str| schema(&format!("{all}{sql}"));
        of(found)
            .differences(&of(expected))
            .iter()
            .map(Difference::to_string)
            .collect()
    }

    /// Each pair says the same.
    const EQUAL: [(&str, &str); 18] = [
        (
            "create table t ( a integer primary key , b text )",
            "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)",
        ),
        ("CREATE TABLE t(a /* key */, b -- last\n)", "CREATE TABLE t(a,b)"),
        (
            "CREATE TABLE \"t\"([a] INT, `b` INT)",
            "CREATE TABLE t(a INT, b INT)",
        ),
        (
            "CREATE TABLE t(a INT PRIMARY KEY)",
            "CREATE TABLE t(a INT, PRIMARY KEY (a))",
        ),
        (
            "CREATE TABLE t(a INT PRIMARY KEY ASC)",
            "CREATE TABLE t(a INT PRIMARY KEY)",
        ),
        (
            "CREATE TABLE t(a INT, b INT UNIQUE)",
            "CREATE TABLE t(a INT, b INT, UNIQUE(b))",
        ),
        (
            "CREATE TABLE t(a INT CHECK (a>1))",
            "CREATE TABLE t(a INT, CHECK ( a > 1 ))",
        ),
        (
            "CREATE TABLE t(a INT CONSTRAINT positive CHECK (a > 1))",
            "CREATE TABLE t(a INT CHECK (a > 1))",
        ),
        (
            "CREATE TABLE t(a REFERENCES b(x))",
            "CREATE TABLE t(a, FOREIGN KEY (a) REFERENCES b(x))",
        ),
        (
            "CREATE TABLE t(a REFERENCES b(x) ON DELETE NO ACTION)",
            "CREATE TABLE t(a REFERENCES \"b\"(\"x\"))",
        ),
        (
            "CREATE TABLE t(a REFERENCES b(x) ON UPDATE SET NULL ON DELETE CASCADE)",
            "CREATE TABLE t(a REFERENCES b(x) ON DELETE CASCADE ON UPDATE set null NOT DEFERRABLE)",
        ),
        (
            "CREATE TABLE t(a TEXT NOT NULL DEFAULT 'x')",
            "CREATE TABLE t(a text DEFAULT 'x' NOT NULL ON CONFLICT ABORT)",
        ),
        (
            "CREATE TABLE t(a TEXT NULL COLLATE nocase)",
            "CREATE TABLE t(a TEXT COLLATE NOCASE)",
        ),
        (
            "CREATE TABLE t(a VARCHAR(10))",
            "CREATE TABLE t(a varchar ( 10 ))",
        ),
        (
            "CREATE TABLE t(a INT, b INT GENERATED ALWAYS AS (a+1) VIRTUAL)",
            "CREATE TABLE t(a INT, b INT AS (a + 1))",
        ),
        (
            "CREATE TABLE t(a,b); CREATE INDEX i ON t(a ASC, b) WHERE a is not null",
            "CREATE TABLE t(a,b); CREATE INDEX \"i\" ON \"t\" (\"a\",b)where a IS NOT NULL",
        ),
        (
            "CREATE VIEW v AS SELECT x FROM b",
            "create view \"v\" as select  x from b /* end */",
        ),
        (
            "CREATE TRIGGER g AFTER INSERT ON b BEGIN DELETE FROM b; END",
            "create trigger g after insert on b begin\n delete from \"b\" ; end",
        ),
    ];

    /// What is found, what is expected, and every difference.
    const DIFFERENT: [(&str, &str, &[&str]); 24] = [
        ("", "CREATE TABLE t(a UNIQUE)", &["table t is missing"]),
        (
            "CREATE TABLE t(a, b UNIQUE); CREATE INDEX i ON t(a)",
            "",
            &["table t is unknown"],
        ),
        (
            "CREATE TABLE t(a, c)",
            "CREATE TABLE t(a, b)",
            &["column t.c is unknown", "column t.b is missing"],
        ),
        (
            "CREATE TABLE t(a TEXT)",
            "CREATE TABLE t(a INT)",
            &["column t.a is TEXT, not INT"],
        ),
        (
            "CREATE TABLE t(a INT)",
            "CREATE TABLE t(a INT NOT NULL)",
            &["column t.a is INT, not INT NOT NULL"],
        ),
        (
            "CREATE TABLE t(a DEFAULT 1)",
            "CREATE TABLE t(a DEFAULT -1)",
            &["column t.a is  DEFAULT 1, not  DEFAULT - 1"],
        ),
        (
            "CREATE TABLE t(a DEFAULT 'A')",
            "CREATE TABLE t(a DEFAULT 'a')",
            &["column t.a is  DEFAULT 'A', not  DEFAULT 'a'"],
        ),
        (
            "CREATE TABLE t(a TEXT COLLATE NOCASE)",
            "CREATE TABLE t(a TEXT)",
            &["column t.a is TEXT COLLATE NOCASE, not TEXT"],
        ),
        (
            "CREATE TABLE t(b, a)",
            "CREATE TABLE t(a, b)",
            &["table t is ( b , a ), not ( a , b )"],
        ),
        (
            "CREATE TABLE t(a)",
            "CREATE TABLE t(a UNIQUE)",
            &["constraint UNIQUE ( a ) of t is missing"],
        ),
        (
            "CREATE TABLE t(a CHECK (a IN ('x','y')))",
            "CREATE TABLE t(a CHECK (a IN ('x','Y')))",
            &[
                "constraint CHECK ( a IN ( 'x' , 'y' ) ) of t is unknown",
                "constraint CHECK ( a IN ( 'x' , 'Y' ) ) of t is missing",
            ],
        ),
        (
            "CREATE TABLE t(a REFERENCES b(x))",
            "CREATE TABLE t(a REFERENCES b(x) ON DELETE CASCADE)",
            &[
                "constraint FOREIGN KEY ( a ) REFERENCES b ( x ) of t is unknown",
                "constraint FOREIGN KEY ( a ) REFERENCES b ( x ) ON DELETE CASCADE of t is missing",
            ],
        ),
        (
            "CREATE TABLE t(a REFERENCES b(x))",
            "CREATE TABLE t(a REFERENCES b(x) DEFERRABLE INITIALLY DEFERRED)",
            &[
                "constraint FOREIGN KEY ( a ) REFERENCES b ( x ) of t is unknown",
                "constraint FOREIGN KEY ( a ) REFERENCES b ( x ) DEFERRABLE INITIALLY DEFERRED of t is missing",
            ],
        ),
        (
            "CREATE TABLE t(a INTEGER PRIMARY KEY)",
            "CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT)",
            &[
                "constraint PRIMARY KEY ( a ) of t is unknown",
                "constraint PRIMARY KEY ( a ) AUTOINCREMENT of t is missing",
            ],
        ),
        (
            "CREATE TABLE t(a INT PRIMARY KEY) WITHOUT ROWID",
            "CREATE TABLE t(a INT PRIMARY KEY) STRICT",
            &["table t is WITHOUT ROWID, not STRICT"],
        ),
        (
            "CREATE TABLE t(a, b); CREATE INDEX i ON t(a)",
            "CREATE TABLE t(a, b); CREATE INDEX i ON t(b)",
            &["index i of t is ( a ), not ( b )"],
        ),
        (
            "CREATE TABLE t(a, b); CREATE INDEX i ON t(a, b)",
            "CREATE TABLE t(a, b); CREATE INDEX i ON t(b, a DESC)",
            &["index i of t is ( a , b ), not ( b , a DESC )"],
        ),
        (
            "CREATE TABLE t(a); CREATE INDEX i ON t(a)",
            "CREATE TABLE t(a); CREATE UNIQUE INDEX i ON t(a)",
            &["index i of t is ( a ), not UNIQUE ( a )"],
        ),
        (
            "CREATE TABLE t(a); CREATE INDEX i ON t(a) WHERE a > 1",
            "CREATE TABLE t(a); CREATE INDEX i ON t(a) WHERE a > 2",
            &["index i of t is ( a ) WHERE a > 1, not ( a ) WHERE a > 2"],
        ),
        (
            "CREATE TABLE t(a); CREATE INDEX i ON b(x)",
            "CREATE TABLE t(a); CREATE INDEX i ON t(a)",
            &["index i of b is unknown", "index i of t is missing"],
        ),
        ("CREATE VIEW v AS SELECT 1", "", &["view v is unknown"]),
        (
            "CREATE TRIGGER g AFTER INSERT ON b BEGIN SELECT 1; END",
            "",
            &["trigger g of b is unknown"],
        ),
        (
            "CREATE TABLE t(Status)",
            "CREATE TABLE t(status)",
            &["column t.Status is unknown", "column t.status is missing"],
        ),
        (
            "CREATE TABLE t(a, \"odd name\")",
            "CREATE TABLE t(a)",
            &["column t.odd name is unknown"],
        ),
    ];

    #[test]
    fn spelling_makes_no_difference() {
        for (one, other) in EQUAL {
            assert_eq!(differences(one, other), Vec::<String>::new(), "{one} = {other}");
        }
    }

    #[test]
    fn every_difference_names_its_object() {
        for (found, expected, listed) in DIFFERENT {
            assert_eq!(differences(found, expected), listed, "{found} <> {expected}");
        }
    }

    #[test]
    fn a_schema_reads_equal_after_its_tables_were_rebuilt_and_renamed() {
        let plain = "CREATE TABLE b(x INTEGER PRIMARY KEY); CREATE TABLE t(a REFERENCES b(x)); CREATE INDEX i ON b(x);";
        let rebuilt = "CREATE TABLE old(x INTEGER PRIMARY KEY); CREATE TABLE t(a REFERENCES old(x)); CREATE INDEX i ON old(x);
            ALTER TABLE old RENAME TO b;";
        assert_eq!(schema(rebuilt).differences(&schema(plain)), Vec::new());
    }
}
