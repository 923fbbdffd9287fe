//! Order-free digests of the rows of a table or a query, the currency of the proof that nothing was lost.
//!
//! Every value is hashed with its storage class: `1`, `1.0`, `'1'` and `x'31'` differ, floats count by their bits
//! and text by its bytes, valid UTF-8 or not. The 128-bit hashes of the rows are *added* modulo 2^128, so that
//! order does not matter and repetition does. XOR would not do: a row that is there twice would cancel out, and
//! a table that lost both copies, or gained two, would keep its digest.
//!
//! The hash is fixed (no random key), because a receipt is compared by other processes; it stands against
//! accidents, not against somebody who builds rows to collide.

use std::fmt;

use rusqlite::Connection;
use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::ValueRef;
use xxhash_rust::xxh3::xxh3_128;

use crate::error::{Doing, StoreError};

/// What the rows of a table come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableDigest {
    /// How many rows there are.
    pub rows: u64,
    /// The sum of the rows' hashes, big-endian.
    pub digest: [u8; 16],
}

impl fmt::Display for TableDigest {
    /// The digest alone, as 32 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.digest))
    }
}

/// Digests all rows of a table, in one scan.
///
/// # Errors
/// [`StoreError::Sqlite`] if there is no such table or it cannot be read.
pub fn table(connection: &Connection, table: &str) -> Result<TableDigest, StoreError> {
    query(
        connection,
        &format!("SELECT * FROM \"{}\"", table.replace('"', "\"\"")),
    )
}

/// Digests all rows that a query gives, columns in the query's order. Memory does not grow with the rows.
///
/// Registers the aggregate `rex_digest` with the connection: a function is handed its values as SQLite holds them,
/// while reading them from a result asks for the connection's lock at every one.
///
/// # Errors
/// [`StoreError::Sqlite`] if the query is wrong, fails midway or has more columns than a function takes arguments.
pub fn query(connection: &Connection, sql: &str) -> Result<TableDigest, StoreError> {
    let columns = connection
        .prepare(sql)
        .doing("prepare the query of a digest")?
        .column_count();
    let names: Vec<String> = (0..columns).map(|column| format!("c{column}")).collect();
    let names = names.join(", ");
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection
        .create_aggregate_function("rex_digest", -1, flags, Sum)
        .doing("prepare the query of a digest")?;
    connection
        .query_row(
            &format!("WITH digested({names}) AS ({sql}) SELECT count(*), rex_digest({names}) FROM digested"),
            [],
            |row| {
                Ok(TableDigest {
                    rows: row.get::<_, i64>(0)?.unsigned_abs(),
                    digest: row.get(1)?,
                })
            },
        )
        .doing("run the query of a digest")
}

/// The aggregate behind [`query`].
struct Sum;

#[derive(Default)]
struct Summed {
    sum: u128,
    row_bytes: Vec<u8>,
}

impl Aggregate<Summed, [u8; 16]> for Sum {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<Summed> {
        Ok(Summed::default())
    }

    fn step(&self, context: &mut Context<'_>, summed: &mut Summed) -> rusqlite::Result<()> {
        summed.row_bytes.clear();
        for column in 0..context.len() {
            push(&mut summed.row_bytes, context.get_raw(column));
        }
        summed.sum = summed.sum.wrapping_add(xxh3_128(&summed.row_bytes));
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, summed: Option<Summed>) -> rusqlite::Result<[u8; 16]> {
        Ok(summed.unwrap_or_default().sum.to_be_bytes())
    }
}

/// A longer value is represented by its own hash, so that the row's buffer stays small.
const INLINE_BYTES: usize = 256;

fn push(row_bytes: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => row_bytes.push(0),
        ValueRef::Integer(integer) => push_fixed(row_bytes, 1, integer.to_le_bytes()),
        ValueRef::Real(real) => push_fixed(row_bytes, 2, real.to_bits().to_le_bytes()),
        ValueRef::Text(bytes) => push_bytes(row_bytes, 3, bytes),
        ValueRef::Blob(bytes) => push_bytes(row_bytes, 4, bytes),
    }
}

fn push_fixed(row_bytes: &mut Vec<u8>, class: u8, bytes: [u8; 8]) {
    row_bytes.push(class);
    row_bytes.extend_from_slice(&bytes);
}

/// The length comes first: without it the border between two columns could move unseen.
fn push_bytes(row_bytes: &mut Vec<u8>, class: u8, bytes: &[u8]) {
    push_fixed(row_bytes, class, (bytes.len() as u64).to_le_bytes());
    if bytes.len() <= INLINE_BYTES {
        row_bytes.extend_from_slice(bytes);
    } else {
        row_bytes.extend_from_slice(&xxh3_128(bytes).to_le_bytes());
    }
}
