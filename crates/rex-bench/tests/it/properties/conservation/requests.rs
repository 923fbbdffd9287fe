//! A request that comes again gets its old number, and the next new one a number that was never given.

use rex_store::daemon::{From, Request, next_number, resend};
use rex_store::error::StoreError;
use rusqlite::Connection;
use rusqlite::types::Value;
use serde_json::Value as Json;

use super::super::Verdict;
use super::super::rows::{all, by_number, ensure, first, number, text};

pub(super) fn check(new: &Connection, old: &Connection) -> Verdict {
    let items = by_number(
        old,
        "SELECT id, item FROM nodes WHERE id IN (SELECT prompt_node FROM turns)",
    )?;
    let runs = super::numbers(old, super::RUNS)?;
    let sql = "SELECT id, bot, request_id, prompt, prompt_node, workspace, model, reasoning, delivery, expected_turn,
        from_bot, from_turn, from_id, origin FROM turns";
    for row in all(old, sql)? {
        let id = number(&row[0]).ok_or("no id")?;
        let prompt = match &row[3] {
            Value::Text(words) => words.clone().into_bytes(),
            Value::Blob(words) => words.clone(),
            _ => return Err(format!("{id} has no words")),
        };
        let item = number(&row[4])
            .and_then(|node| items.get(&node))
            .map(|row| &row[1]);
        let held = item.filter(|_| prompt.is_empty()).and_then(words_of);
        let words = held.unwrap_or(prompt);
        let request = Request {
            bot: text(&row[1]).unwrap_or_default(),
            request_id: text(&row[2]).unwrap_or_default(),
            words: &words,
            // Omitted for every other row: that counts as equal.
            workspace: text(&row[5]).filter(|_| id % 2 == 0),
            model: text(&row[6]).filter(|_| id % 2 == 0),
            effort: text(&row[7]),
            delivery: text(&row[8]).unwrap_or_default(),
            expected_turn: number(&row[9]),
            sender: From {
                bot: text(&row[10]),
                turn: number(&row[11]),
                id: number(&row[12]),
                origin: text(&row[13]),
            },
            ..Request::default()
        };
        let sent = resend(new, &request).map_err(|error| format!("resend of {id}: {error}"))?;
        let sent = sent.ok_or_else(|| format!("{id} is not known any more"))?;
        ensure(
            sent.number == id && sent.turn == runs.contains(&id).then_some(id),
            || format!("{id} became {sent:?}"),
        )?;
        let other = Request {
            words: b"something else that nobody sent",
            ..request
        };
        let conflict = resend(new, &other);
        ensure(
            matches!(conflict, Err(StoreError::IdempotencyConflict { .. })),
            || format!("{id} with other words is {conflict:?}"),
        )?;
    }
    the_next_number_is_new(new)
}

/// The first part with a text of an item, or its content.
fn words_of(item: &Value) -> Option<Vec<u8>> {
    let Value::Blob(bytes) = item else {
        return text(item).and_then(parse);
    };
    parse(std::str::from_utf8(bytes).ok()?)
}

fn parse(item: &str) -> Option<Vec<u8>> {
    let item: Json = serde_json::from_str(item).ok()?;
    let content = item.get("content")?;
    let part = match content {
        Json::Array(parts) => parts.iter().find_map(|part| part.get("text")?.as_str())?,
        other => other.as_str()?,
    };
    Some(part.as_bytes().to_vec())
}

fn the_next_number_is_new(new: &Connection) -> Verdict {
    let sql = |text: &str| new.execute_batch(text).map_err(|error| error.to_string());
    let last = first(new, "SELECT last_id FROM message_sequence")?.unwrap_or_default();
    sql("SAVEPOINT draw")?;
    let drawn = next_number(new);
    sql("ROLLBACK TO draw; RELEASE draw")?;
    match drawn {
        Ok(drawn) => ensure(drawn > last, || format!("{drawn} was drawn behind {last}")),
        Err(StoreError::SequenceExhausted { .. }) => {
            ensure(last == i64::MAX, || format!("exhausted at {last}"))
        }
        Err(error) => Err(error.to_string()),
    }
}
