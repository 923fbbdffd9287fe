//! How a row becomes a struct, whichever generation wrote it.

use rusqlite::Row;

use crate::error::StoreError;

/// A row of a review store. Columns that arrived after the first generation of their table are `Option`s.
pub trait Record: Sized {
    /// The table of these rows.
    const TABLE: &'static str;
    /// The columns, in the order that [`Self::from_row`] expects.
    const COLUMNS: &'static [&'static str];
    /// Reads a row of a query that selects [`Self::COLUMNS`].
    ///
    /// # Errors
    /// [`StoreError::Value`] for a value of another storage class.
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError>;
}

/// Declares a row: the struct, its table, and its columns in the order of the fields.
macro_rules! record {
    (
        $(#[$doc:meta])*
        $name:ident in $table:literal {
            $($(#[$field_doc:meta])* $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $crate::review::Record for $name {
            const TABLE: &'static str = $table;
            const COLUMNS: &'static [&'static str] = &[$(stringify!($field)),*];

            fn from_row(row: &rusqlite::Row<'_>) -> Result<Self, $crate::error::StoreError> {
                let mut columns = 0_usize..;
                $(
                    let $field = columns.next().unwrap_or_default();
                    let $field = row
                        .get($field)
                        .map_err(|source| $crate::daemon::unreadable(source, $table, stringify!($field)))?;
                )*
                Ok(Self { $($field),* })
            }
        }
    };
}

pub(super) use record;
