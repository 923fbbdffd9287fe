//! How a row becomes a struct: one list of columns serves the struct, the SELECT and the reading.

use std::fmt;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, Type, ValueRef};

use crate::error::StoreError;

/// A text as SQLite keeps it: bytes that ought to be UTF-8.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text(Vec<u8>);

impl Text {
    /// The bytes, as they are.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text, if it is valid UTF-8.
    pub fn to_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl FromSql for Text {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Text(bytes) => Ok(Self(bytes.to_vec())),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&String::from_utf8_lossy(&self.0), f)
    }
}

/// Says which column is to blame for a row that cannot be read.
pub(crate) fn unreadable(source: rusqlite::Error, table: &'static str, column: &'static str) -> StoreError {
    match source {
        rusqlite::Error::InvalidColumnType(_, _, found) => StoreError::Value {
            table,
            column,
            found: class(found),
        },
        source => StoreError::Sqlite {
            doing: "read a row",
            source,
        },
    }
}

fn class(found: Type) -> &'static str {
    match found {
        Type::Null => "NULL",
        Type::Integer => "INTEGER",
        Type::Real => "REAL",
        Type::Text => "TEXT",
        Type::Blob => "BLOB",
    }
}

/// Declares a row: the struct, its table, its columns in the order of the fields, and how to read it.
macro_rules! row {
    (
        $(#[$doc:meta])*
        $name:ident in $table:literal by $key:literal {
            $($(#[$field_doc:meta])* $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $name {
            /// The table of these rows.
            pub const TABLE: &'static str = $table;
            /// The columns, in the order that [`Self::from_row`] expects.
            pub const COLUMNS: &'static [&'static str] = &[$(stringify!($field)),*];

            /// Reads a row of a query that selects [`Self::COLUMNS`].
            ///
            /// # Errors
            /// [`StoreError::Value`](crate::error::StoreError::Value) for a value of another storage class.
            pub fn from_row(row: &rusqlite::Row<'_>) -> Result<Self, crate::error::StoreError> {
                let mut columns = 0_usize..;
                $(
                    let $field = columns.next().unwrap_or_default();
                    let $field = row
                        .get($field)
                        .map_err(|source| $crate::daemon::row::unreadable(source, $table, stringify!($field)))?;
                )*
                Ok(Self { $($field),* })
            }

            /// Finds the row with this key.
            ///
            /// # Errors
            /// [`StoreError::Value`](crate::error::StoreError::Value),
            /// [`StoreError::Sqlite`](crate::error::StoreError::Sqlite).
            pub fn find(
                connection: &rusqlite::Connection,
                key: impl rusqlite::ToSql,
            ) -> Result<Option<Self>, crate::error::StoreError> {
                use crate::error::Doing;
                let sql = format!("SELECT {} FROM {} WHERE {} = ?1", Self::COLUMNS.join(", "), $table, $key);
                let mut statement = connection.prepare_cached(&sql).doing("look a row up")?;
                let mut rows = statement.query([key]).doing("look a row up")?;
                rows.next().doing("look a row up")?.map(Self::from_row).transpose()
            }
        }
    };
}

/// Declares a set of words that a column takes, with the words themselves.
macro_rules! words {
    (
        $(#[$doc:meta])*
        $name:ident { $($(#[$word_doc:meta])* $variant:ident = $word:literal,)* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$word_doc])* $variant,)*
        }

        impl $name {
            /// The word in the column.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// Reads the word; `None` for any other text.
            pub fn parse(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(value: rusqlite::types::ValueRef<'_>) -> rusqlite::types::FromSqlResult<Self> {
                Self::parse(value.as_str()?).ok_or(rusqlite::types::FromSqlError::InvalidType)
            }
        }
    };
}

pub(crate) use {row, words};
