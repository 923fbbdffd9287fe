//! Completeness and soundness: what the upgrade names, held against the truth.

use std::collections::HashMap;

use rex_bench::generate::daemon::truth::{Fate, Message};

use super::Upgraded;

/// What the upgrade says of a message.
struct Named {
    status: String,
    turn: Option<i64>,
    node: Option<i64>,
}

/// Checks every message and returns how many were named wrongly, which is an error unless `hidden_clock`.
pub(super) fn check(upgraded: &Upgraded, hidden_clock: bool) -> Result<u64, String> {
    let named = read(upgraded).map_err(|error| error.to_string())?;
    let mut wrong = 0;
    for message in &upgraded.truth.messages {
        let found = named
            .get(&message.number)
            .ok_or_else(|| format!("{} is no message", message.number))?;
        let result = match message.fate {
            Fate::Opened => opened(message, found),
            Fate::Taken => taken(message, found, hidden_clock),
            Fate::Withdrawn => unrun(found, &["withdrawn"]),
            Fate::Failed => unrun(found, &["failed"]),
            Fate::InLine => unrun(found, &["queued", "attached", "ready"]),
        };
        result.map_err(|why| {
            format!(
                "{why}: {message:?}, named turn {:?}, node {:?}",
                found.turn, found.node
            )
        })?;
        wrong += u64::from(found.turn.is_some_and(|turn| message.run != Some(turn)));
    }
    if named.len() != upgraded.truth.messages.len() {
        return Err("messages that nobody sent".to_owned());
    }
    Ok(wrong)
}

fn read(upgraded: &Upgraded) -> rusqlite::Result<HashMap<i64, Named>> {
    let mut statement = upgraded
        .new
        .prepare("SELECT number, status, turn, node FROM messages")?;
    let rows = statement.query_map([], |row| {
        Ok((
            row.get(0)?,
            Named {
                status: row.get(1)?,
                turn: row.get(2)?,
                node: row.get(3)?,
            },
        ))
    })?;
    rows.collect()
}

fn opened(message: &Message, found: &Named) -> Result<(), String> {
    let is_right =
        found.status == "taken" && found.turn == Some(message.number) && found.node == message.node;
    is_right
        .then_some(())
        .ok_or_else(|| "a run is not its own".to_owned())
}

fn unrun(found: &Named, statuses: &[&str]) -> Result<(), String> {
    if !statuses.contains(&found.status.as_str()) {
        return Err(format!("status {}", found.status));
    }
    let is_free = found.turn.is_none() && found.node.is_none();
    is_free
        .then_some(())
        .ok_or_else(|| "a message that never ran has a run or node".to_owned())
}

fn taken(message: &Message, found: &Named, hidden_clock: bool) -> Result<(), String> {
    if found.status != "taken" {
        return Err(format!("status {}", found.status));
    }
    let is_named_by_event = message.a || (message.b && !message.is_contradicted);
    let must_be_free = message.is_contradicted && !message.a;
    // A hidden step can put the taken time outside of its run, and then the node's run does not fit.
    let must_be_named = !must_be_free && (is_named_by_event || (message.c && !hidden_clock));
    match found.turn {
        Some(_) if must_be_free => {
            return Err("two events of one kind disagree, yet a run is named".to_owned());
        }
        None if must_be_named => return Err("evidence survives, yet no run is named".to_owned()),
        Some(turn) if message.run != Some(turn) && (must_be_named || !hidden_clock) => {
            return Err("a wrong run is named".to_owned());
        }
        _ => {}
    }
    match found.node {
        None if message.is_node_known && !must_be_free => {
            Err("evidence survives, yet no node is named".to_owned())
        }
        Some(_) if found.node != message.node && !hidden_clock => Err("a wrong node is named".to_owned()),
        _ => Ok(()),
    }
}
