//! What must be equal before and after: every cell of the old tables is found again in the new ones.
//!
//! The texts that the split respells are compared in a form that both spellings share. It is worked out on parsed
//! values, not by the code that respells, so that a mistake there does not hide itself.

use rex_store::handle::Handle90;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, Result};
use serde_json::{Map, Value};

use super::quotes;
use crate::step::Conserved;

/// The facts.
pub(super) const FACTS: &[Conserved] = &[
    Conserved {
        table: "messages",
        before: "SELECT t.id, t.bot, t.request_id, t.prompt, t.prompt_node,
                iif(t.quotes IS NULL, NULL, split_quotes(t.quotes, 90)), t.pictures, t.from_bot, t.from_turn, t.from_id,
                t.origin, t.delivery, t.expected_turn, t.workspace, t.model, t.reasoning, t.inherited_reasoning,
                CASE WHEN t.started_ms IS NOT NULL OR n.id IS NOT NULL OR t.status = 'steered' THEN 'taken'
                    WHEN t.status = 'interrupted' THEN 'withdrawn' ELSE t.status END,
                iif(t.started_ms IS NOT NULL OR n.id IS NOT NULL, t.started_ms,
                    iif(t.status = 'steered', t.finished_ms, NULL)),
                iif(t.started_ms IS NOT NULL OR n.id IS NOT NULL OR t.status = 'steered', NULL, t.finished_ms),
                iif(t.started_ms IS NOT NULL OR n.id IS NOT NULL, t.id, NULL), n.id
            FROM turns t LEFT JOIN nodes n ON n.turn = t.id",
        after: "SELECT m.number, m.bot, m.request_id, m.words, m.words_node,
                iif(m.quotes IS NULL, NULL, split_quotes(m.quotes, 91)), m.pictures, m.from_bot, m.from_turn, m.from_id,
                m.origin, m.delivery, m.expected_turn, m.workspace, m.model, m.effort, m.inherited_effort,
                m.status, m.taken_ms, m.ended_ms, iif(m.turn = m.number, m.turn, NULL), iif(n.id = m.node, n.id, NULL)
            FROM messages m LEFT JOIN nodes n ON n.turn = m.number",
        rule: "each row of turns is the message of its number, with the status, times, run and node of its own",
    },
    Conserved {
        table: "turns",
        before: "SELECT t.id, t.bot, t.status, iif(t.waiting IS NULL, NULL, split_waiting(t.waiting, 90)),
                t.model_rounds, t.view_sent, t.input_tokens, t.output_tokens, t.cached_input_tokens, t.retries,
                t.paced_ms, t.started_ms, t.finished_ms
            FROM turns t WHERE t.started_ms IS NOT NULL OR EXISTS (SELECT 1 FROM nodes n WHERE n.turn = t.id)",
        after: "SELECT t.id, t.bot, t.status, iif(t.waiting IS NULL, NULL, split_waiting(t.waiting, 91)),
                t.model_rounds, t.view_sent, t.input_tokens, t.output_tokens, t.cached_input_tokens, t.retries,
                t.paced_ms, t.started_ms, t.finished_ms FROM turns t",
        rule: "turns holds the rows that ran, and nothing else",
    },
    Conserved {
        table: "events",
        before: "SELECT id, bot, turn, kind, data FROM events",
        after: "SELECT id, bot, coalesce(turn, message), kind, data FROM events",
        rule: "each event is as it was, filed under the same number",
    },
    Conserved {
        table: "retained_messages",
        before: "SELECT turn, bot FROM retained_turns",
        after: "SELECT message, bot FROM retained_messages",
        rule: "each row of retained_turns is a row of retained_messages",
    },
    Conserved {
        table: "retained_turns",
        before: "SELECT 1 WHERE false",
        after: "SELECT 1 FROM sqlite_schema WHERE name = 'retained_turns'",
        rule: "replaced by retained_messages",
    },
    Conserved {
        table: "turn_sequence",
        before: "SELECT 1 WHERE false",
        after: "SELECT 1 FROM sqlite_schema WHERE name = 'turn_sequence'",
        rule: "replaced by message_sequence",
    },
    Conserved {
        table: "message_sequence",
        before: "SELECT 1, 1",
        after: "SELECT singleton, last_id >= coalesce((SELECT max(number) FROM messages), 0) FROM message_sequence",
        rule: "the sequence has passed every number",
    },
];

/// Registers `split_waiting` and `split_quotes`: a text of either version in the form that both share.
pub(super) fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("split_waiting", 2, flags, |context| {
        shared(context, shared_waiting)
    })?;
    connection.create_scalar_function("split_quotes", 2, flags, |context| shared(context, shared_quotes))
}

/// What is no JSON of the expected shape is compared as it stands.
fn shared(context: &Context<'_>, form: fn(Value, bool) -> Option<Value>) -> Result<Cell> {
    let cell = context.get_raw(0);
    let is_old = context.get::<i64>(1)? == 90;
    let parsed = cell
        .as_str()
        .ok()
        .and_then(|text| serde_json::from_str(text).ok());
    Ok(match parsed.and_then(|value| form(value, is_old)) {
        Some(value) => Cell::Text(value.to_string()),
        None => Cell::try_from(cell)?,
    })
}

fn shared_waiting(waiting: Value, is_old: bool) -> Option<Value> {
    let Value::Object(mut waiting) = waiting else {
        return None;
    };
    respell(&mut waiting, is_old);
    if let Some(Value::Array(calls)) = waiting.get_mut("pending") {
        for call in calls {
            if call.get("name").and_then(Value::as_str) != Some("wait") {
                continue;
            }
            match call.get_mut("arguments") {
                Some(Value::Object(arguments)) => respell(arguments, is_old),
                Some(Value::String(text)) => {
                    if let Ok(Value::Object(mut arguments)) = serde_json::from_str(text) {
                        respell(&mut arguments, is_old);
                        *text = Value::Object(arguments).to_string();
                    }
                }
                _ => {}
            }
        }
    }
    Some(Value::Object(waiting))
}

fn respell(holder: &mut Map<String, Value>, is_old: bool) {
    let Some(Value::Array(handles)) = holder.get_mut("handles") else {
        return;
    };
    if !is_old {
        return;
    }
    for handle in handles {
        if let Value::String(text) = handle
            && let Some(known) = Handle90::parse(text)
        {
            let spelled = known.at_91().to_string();
            *text = spelled;
        }
    }
}

fn shared_quotes(list: Value, is_old: bool) -> Option<Value> {
    let Value::Array(mut list) = list else { return None };
    for quote in &mut list {
        if is_old
            && quotes::names_turn(quote)
            && let Value::Object(quote) = quote
        {
            let number = quote.remove("turn").unwrap_or_default();
            quote.insert("message".to_owned(), number);
        }
    }
    Some(Value::Array(list))
}
