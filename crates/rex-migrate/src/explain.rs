//! Why a message of the daemon store got its run and its node, with the evidence row by row.
//!
//! The rules run again, over the whole store, as the upgrade runs them: what is explained is what it does or did.
//! Works on a connection that cannot write to the store; it makes temporary tables and drops them.

use rusqlite::{Connection, OptionalExtension as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::step::StepError;
use crate::steps::daemon::v91_split_messages::attribute::{self, Attribution};
use crate::steps::daemon::v91_split_messages::old::{AT_90, AT_91, Dialect};
use crate::steps::daemon::v91_split_messages::{Doing as _, report, respell, trail};

/// What is known of one message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// The message asked for.
    pub message: Name,
    /// Its status as 91 spells it.
    pub status: String,
    /// The run that took it in, where known.
    pub turn: Option<i64>,
    /// The node it became, where known.
    pub node: Option<i64>,
    /// `own`, `a`, `b`, `c`, `d` or `none`.
    pub turn_rule: String,
    /// `own`, `event`, `prompt_node`, `words` or `none`.
    pub node_rule: String,
    /// What was weighed, row by row. At 91 a row is named by the table it is in now.
    pub evidence: Vec<Evidence>,
    /// Why there is no run or no node, or why the store no longer says.
    pub why_not: Option<String>,
}

/// A message's name: `BOT/N`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Name {
    /// The bot.
    pub bot: String,
    /// The number.
    pub number: i64,
}

/// One cell that was weighed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The table.
    pub table: String,
    /// The row's key.
    pub id: i64,
    /// The column.
    pub column: String,
    /// Its value, as JSON.
    pub value: serde_json::Value,
    /// What that says.
    pub says: String,
}

/// The members of a class of the receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Members {
    /// Numbers of messages, ascending; of `clock_unsafe_bots` the bots' ids.
    Numbers(Vec<i64>),
    /// The upgraded store no longer says; the receipt does.
    Gone,
    /// There is no class of that name.
    NoSuchClass,
}

/// Explains message `number` of `bot` in a store at 90 or 91; `None` when there is no such message.
///
/// # Errors
/// [`StepError`] when SQLite cannot read the store.
pub fn message(connection: &Connection, bot: &str, number: i64) -> Result<Option<Explanation>, StepError> {
    let is_split = is_split(connection)?;
    let Some(row) = row(connection, is_split, bot, number)? else {
        return Ok(None);
    };
    let attribution = Attribution::run(connection, dialect(is_split), Some(number))?;
    let explanation = explain(connection, is_split, row, attribution.trail);
    attribute::forget(connection)?;
    explanation.map(|explanation| {
        Some(Explanation {
            message: Name {
                bot: bot.to_owned(),
                number,
            },
            ..explanation
        })
    })
}

/// Lists every member of a class of the receipt.
///
/// # Errors
/// [`StepError`] when SQLite cannot read the store.
pub fn class(connection: &Connection, class: &str) -> Result<Members, StepError> {
    if !report::is_class(class) {
        return Ok(Members::NoSuchClass);
    }
    let is_split = is_split(connection)?;
    // The texts have been respelled: what was dead cannot be told from what is alive.
    if is_split && class == attribute::class::DEAD {
        return Ok(Members::Gone);
    }
    let _attribution = Attribution::run(connection, dialect(is_split), None)?;
    if !is_split {
        respell::keep(connection)?;
    }
    let sql = if is_split {
        report::members(class)
    } else {
        report::members_before(class)
    };
    let numbers = connection
        .prepare(&sql)
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .doing("list a class")?;
    respell::forget(connection)?;
    attribute::forget(connection)?;
    Ok(Members::Numbers(numbers))
}

fn dialect(is_split: bool) -> &'static Dialect {
    if is_split { &AT_91 } else { &AT_90 }
}

fn is_split(connection: &Connection) -> Result<bool, StepError> {
    connection.table_exists(None, "messages").doing("read the schema")
}

/// What the row itself says; at 90 as the upgrade would write it.
struct Row {
    status: String,
    is_run: bool,
    turn: Option<i64>,
    node: Option<i64>,
    own_node: Option<i64>,
    number: i64,
    was_sent_after: bool,
}

fn row(connection: &Connection, is_split: bool, bot: &str, number: i64) -> Result<Option<Row>, StepError> {
    let sql = if is_split {
        "SELECT m.status, m.turn IS m.number, m.turn, m.node, n.id, m.sent_ms IS NOT NULL
         FROM messages m LEFT JOIN nodes n ON n.turn = m.number WHERE m.number = ?1 AND m.bot = ?2"
    } else {
        "SELECT CASE WHEN t.started_ms IS NOT NULL OR n.id IS NOT NULL OR t.status = 'steered' THEN 'taken'
                WHEN t.status = 'interrupted' THEN 'withdrawn' ELSE t.status END,
            t.started_ms IS NOT NULL OR n.id IS NOT NULL, NULL, NULL, n.id, 0
         FROM turns t LEFT JOIN nodes n ON n.turn = t.id WHERE t.id = ?1 AND t.bot = ?2"
    };
    connection
        .query_row(sql, (number, bot), |row| {
            Ok(Row {
                status: row.get(0)?,
                is_run: row.get(1)?,
                turn: row.get(2)?,
                node: row.get(3)?,
                own_node: row.get(4)?,
                number,
                was_sent_after: row.get(5)?,
            })
        })
        .optional()
        .doing("look the message up")
}

/// What the rules find for one message.
#[derive(Default)]
struct Found {
    turn: Option<i64>,
    turn_rule: Option<String>,
    node: Option<i64>,
    node_rule: Option<String>,
}

fn explain(
    connection: &Connection,
    is_split: bool,
    row: Row,
    mut trail: trail::Trail,
) -> Result<Explanation, StepError> {
    let found = find(connection, &row, &mut trail)?;
    let why_not = why_not(&row, is_split, &found, &trail);
    let rule = |rule: Option<String>, holds: bool| {
        rule.filter(|rule| rule != "e" && holds)
            .unwrap_or_else(|| "none".to_owned())
    };
    let (turn, node) = if is_split {
        (row.turn, row.node)
    } else {
        (found.turn, found.node)
    };
    Ok(Explanation {
        message: Name {
            bot: String::new(),
            number: row.number,
        },
        status: row.status,
        turn,
        node,
        turn_rule: rule(found.turn_rule, turn == found.turn),
        node_rule: rule(found.node_rule, node.is_some() && node == found.node),
        evidence: trail.evidence,
        why_not,
    })
}

fn find(connection: &Connection, row: &Row, trail: &mut trail::Trail) -> Result<Found, StepError> {
    let number = row.number;
    let sql = "SELECT turn, turn_rule, node, node_rule FROM temp.split_taken WHERE number = ?1";
    let found = connection.query_row(sql, [number], |row| {
        Ok(Found {
            turn: row.get(0)?,
            turn_rule: row.get(1)?,
            node: row.get(2)?,
            node_rule: row.get(3)?,
        })
    });
    let mut found = found
        .optional()
        .doing("look up what was found out")?
        .unwrap_or_default();
    if !row.is_run {
        return Ok(found);
    }
    (found.turn, found.turn_rule) = (Some(number), Some("own".to_owned()));
    let says = || "the message opened this run".to_owned();
    trail.note(number, ("turns", number, "id"), || number.into(), says);
    if let Some(node) = row.own_node {
        (found.node, found.node_rule) = (Some(node), Some("own".to_owned()));
        let says = || format!("node {node} is the first of run {number}");
        trail.note(number, ("nodes", node, "turn"), || number.into(), says);
    }
    Ok(found)
}

fn why_not(row: &Row, is_split: bool, found: &Found, trail: &trail::Trail) -> Option<String> {
    if row.status != "taken" {
        return Some(format!("no run took it in: it is {}", row.status));
    }
    let mut reasons = Vec::new();
    if is_split && row.turn != found.turn {
        reasons.push(gone("run", row.turn, row.was_sent_after));
    } else if found.turn.is_none() {
        reasons.push(
            trail
                .no_turn
                .clone()
                .unwrap_or_else(|| "no evidence names a run".to_owned()),
        );
    }
    if is_split && row.node != found.node {
        reasons.push(gone("node", row.node, row.was_sent_after));
    } else if found.node.is_none() {
        let without = "no evidence names a node".to_owned();
        reasons.push(trail.no_node.clone().unwrap_or(without));
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// The store says one thing, and what is left in it no longer shows why.
fn gone(what: &str, stored: Option<i64>, was_sent_after: bool) -> String {
    match stored {
        Some(stored) if was_sent_after => {
            format!("{what} {stored} was written when the message was taken in")
        }
        Some(stored) => format!("{what} {stored} was found by the upgrade; the rows that showed it are gone"),
        None => format!(
            "the upgrade found no {what}; rows that spoke against it are gone, or new ones speak for one"
        ),
    }
}
