//! Rows of `nodes`, the tree of transcripts that forks share.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};

use super::row::{Text, row};

/// The bytes of an item: a BLOB, which an old program may have written as TEXT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item(pub Vec<u8>);

impl FromSql for Item {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Ok(Self(bytes.to_vec())),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

row! {
    /// A node; the same at both versions, and never rewritten.
    Node in "nodes" by "id" {
        /// Its id.
        id: i64,
        /// The node before it.
        parent: Option<i64>,
        /// The provider's JSON item.
        item: Item,
        /// Bytes of the items from the root to here.
        total_bytes: i64,
        /// Nodes from the root to here.
        depth: i64,
        /// The run whose first node this is.
        turn: Option<i64>,
        /// That run's ordinal along the lineage.
        turn_seq: Option<i64>,
    }
}

row! {
    /// Who sent what became a node.
    Sender in "senders" by "node" {
        /// The node.
        node: i64,
        /// The sending bot's name.
        bot: Option<Text>,
        /// The sending bot's identity.
        bot_id: Option<i64>,
        /// The sending run.
        turn: Option<i64>,
        /// Where it came from.
        origin: Option<Text>,
    }
}
