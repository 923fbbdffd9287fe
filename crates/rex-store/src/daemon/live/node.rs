//! The transcript grows: one node more below the head.

use rusqlite::Connection;

use crate::daemon::resend::From;
use crate::daemon::statement::Statement;
use crate::error::StoreError;

const NEXT: Statement = Statement::new(
    "node.next",
    "draw a node's number",
    "UPDATE node_sequence SET last_id = last_id + 1 WHERE singleton = 1 AND last_id < 9223372036854775807 RETURNING last_id",
);
const TIP: Statement = Statement::new(
    "node.tip",
    "look at the head of a bot",
    "SELECT total_bytes, depth FROM nodes WHERE id = ?1",
);
const INSERT: Statement = Statement::new(
    "node.insert",
    "write a node",
    "INSERT INTO nodes(id, parent, item, total_bytes, depth, turn, turn_seq) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
);
const SENDER: Statement = Statement::new(
    "node.sender",
    "write who sent a node",
    "INSERT INTO senders(node, bot, bot_id, turn, origin) VALUES (?1, ?2, ?3, ?4, ?5)",
);
const LAST_ORDINAL: Statement = Statement::new(
    "node.last_ordinal",
    "find a bot's last run",
    "SELECT turn_seq FROM nodes
        WHERE turn = (SELECT id FROM turns WHERE bot = ?1 ORDER BY id DESC LIMIT 1) AND turn_seq IS NOT NULL",
);
/// Where the bot's own runs do not tell: a fork's first run, or a run that an old store left without its node.
const LINEAGE_ORDINAL: Statement = Statement::new(
    "node.lineage_ordinal",
    "find the last run of a lineage",
    "WITH RECURSIVE up(parent, turn_seq) AS (
        SELECT parent, turn_seq FROM nodes WHERE id = ?1
        UNION ALL SELECT n.parent, n.turn_seq FROM up JOIN nodes n ON n.id = up.parent WHERE up.turn_seq IS NULL)
    SELECT turn_seq FROM up WHERE turn_seq IS NOT NULL",
)
.scanning("walks from the head to the nearest run, once in the life of a fork");

pub(in crate::daemon) const STATEMENTS: &[Statement] =
    &[NEXT, TIP, INSERT, SENDER, LAST_ORDINAL, LINEAGE_ORDINAL];

/// The newest node of a lineage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tip {
    pub(super) node: i64,
    total_bytes: i64,
    depth: i64,
}

impl Tip {
    pub(super) fn of(connection: &Connection, head: Option<i64>) -> Result<Option<Self>, StoreError> {
        let Some(node) = head else { return Ok(None) };
        TIP.first(connection, [node], |row| {
            Ok(Self {
                node,
                total_bytes: row.get(0)?,
                depth: row.get(1)?,
            })
        })
    }
}

/// Writes an item below a tip; `run` is the run that it opens, with its ordinal.
pub(super) fn append(
    connection: &Connection,
    parent: Option<Tip>,
    item: &[u8],
    run: Option<(i64, i64)>,
) -> Result<Tip, StoreError> {
    let table = "node_sequence";
    let node = NEXT
        .first(connection, [], |row| row.get(0))?
        .ok_or(StoreError::SequenceExhausted { table })?;
    let tip = Tip {
        node,
        total_bytes: parent
            .map_or(0, |tip| tip.total_bytes)
            .saturating_add(item.len() as i64),
        depth: parent.map_or(0, |tip| tip.depth + 1),
    };
    let (turn, ordinal) = run.unzip();
    let above = parent.map(|tip| tip.node);
    let values = (node, above, item, tip.total_bytes, tip.depth, turn, ordinal);
    INSERT.execute(connection, values)?;
    Ok(tip)
}

/// Writes who sent the item of a node, if anybody is named.
pub(super) fn sender(connection: &Connection, node: i64, sender: From<'_>) -> Result<(), StoreError> {
    if sender != From::default() {
        SENDER.execute(
            connection,
            (node, sender.bot, sender.id, sender.turn, sender.origin),
        )?;
    }
    Ok(())
}

/// The ordinal that the next run of a bot has along its lineage, from 1.
pub(super) fn next_ordinal(connection: &Connection, bot: &str, head: Option<i64>) -> Result<i64, StoreError> {
    let Some(head) = head else { return Ok(1) };
    let own: Option<i64> = LAST_ORDINAL.first(connection, [bot], |row| row.get(0))?;
    let last = match own {
        Some(last) => Some(last),
        None => LINEAGE_ORDINAL.first(connection, [head], |row| row.get(0))?,
    };
    Ok(last.unwrap_or(0).saturating_add(1))
}
