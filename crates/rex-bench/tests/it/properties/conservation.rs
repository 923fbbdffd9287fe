//! What the rules say must be there behind the split, derived from the old rows alone.

use std::collections::BTreeSet;

use rex_store::schema::Schema;
use rusqlite::Connection;
use rusqlite::types::Value;
use serde_json::Value as Json;

use super::rows::{Values, all, by_number, ensure, first, number, numbers, text};
use super::{Upgraded, Verdict};

mod requests;
mod retention;

/// Tables that the split does not replace.
const UNTOUCHED: [&str; 14] = [
    "store",
    "nodes",
    "bots",
    "senders",
    "event_retention",
    "tools",
    "processes",
    "artifacts",
    "approvals",
    "checkpoints",
    "node_sequence",
    "bot_sequence",
    "deleted_bots",
    "sqlite_sequence",
];

pub(super) fn check(upgraded: &Upgraded) -> Verdict {
    let (old, new) = (&upgraded.old, &upgraded.new);
    let runs = numbers(old, RUNS)?;
    messages_hold_the_rows(old, new)?;
    statuses_follow_the_table(old, new, &runs)?;
    turns_hold_the_runs(old, new, &runs)?;
    handles_and_quotes_are_respelled(old, new)?;
    events_are_refiled(old, new, &runs)?;
    the_sequence_is_ahead(old, new)?;
    for table in UNTOUCHED {
        let sql = format!("SELECT * FROM {table} ORDER BY 1, 2");
        ensure(all(old, &sql)? == all(new, &sql)?, || format!("{table} changed"))?;
    }
    the_store_is_whole(new)?;
    the_report_adds_up(upgraded)?;
    requests::check(new, old)?;
    retention::check(old, new)
}

/// Numbers of old rows that ran.
const RUNS: &str = "SELECT id FROM turns WHERE started_ms IS NOT NULL OR id IN (SELECT turn FROM nodes)";

fn messages_hold_the_rows(old: &Connection, new: &Connection) -> Verdict {
    let before = "SELECT id, bot, request_id, prompt, prompt_node, pictures, from_bot, from_turn, from_id, origin, delivery,
        expected_turn, workspace, model, reasoning, inherited_reasoning FROM turns ORDER BY 1";
    let behind = "SELECT number, bot, request_id, words, words_node, pictures, from_bot, from_turn, from_id, origin, delivery,
        expected_turn, workspace, model, effort, inherited_effort FROM messages ORDER BY 1";
    ensure(all(old, before)? == all(new, behind)?, || {
        "a row is not its message".to_owned()
    })
}

fn statuses_follow_the_table(old: &Connection, new: &Connection, runs: &BTreeSet<i64>) -> Verdict {
    let before = by_number(old, "SELECT id, status, started_ms, finished_ms FROM turns")?;
    let behind = by_number(
        new,
        "SELECT number, status, taken_ms, ended_ms, sent_ms FROM messages",
    )?;
    for (id, row) in before {
        let [_, Value::Text(status), started_ms, finished_ms] = row.as_slice() else {
            return Err(format!("{id} has no status"));
        };
        let null = &Value::Null;
        let (status, taken_ms, ended_ms) = match status.as_str() {
            _ if runs.contains(&id) => ("taken", started_ms, null),
            "steered" => ("taken", finished_ms, null),
            "failed" => ("failed", null, finished_ms),
            "interrupted" => ("withdrawn", null, finished_ms),
            waits => (waits, null, finished_ms),
        };
        let expected = vec![
            Value::Integer(id),
            Value::Text(status.to_owned()),
            taken_ms.clone(),
            ended_ms.clone(),
            Value::Null,
        ];
        ensure(behind.get(&id) == Some(&expected), || {
            format!("{id}: {:?} is not {expected:?}", behind.get(&id))
        })?;
    }
    Ok(())
}

fn turns_hold_the_runs(old: &Connection, new: &Connection, runs: &BTreeSet<i64>) -> Verdict {
    let columns =
        "id, bot, status, model_rounds, view_sent, input_tokens, output_tokens, cached_input_tokens, retries,
        paced_ms, started_ms, finished_ms";
    let before = by_number(old, &format!("SELECT {columns} FROM turns"))?;
    let behind = by_number(new, &format!("SELECT {columns} FROM turns"))?;
    ensure(behind.keys().copied().collect::<BTreeSet<i64>>() == *runs, || {
        "turns are not the runs".to_owned()
    })?;
    ensure(behind.iter().all(|(id, row)| before.get(id) == Some(row)), || {
        "a run changed".to_owned()
    })
}

/// A handle of 90 as 91 spells it, if it is one.
fn respelled(text: &str) -> Option<String> {
    let (bot, digits) = text.strip_prefix("turn:")?.rsplit_once('/')?;
    let id: i64 = digits.parse().ok().filter(|id| *id > 0)?;
    let is_handle = !bot.is_empty() && format!("turn:{bot}/{id}") == text;
    is_handle.then(|| format!("{bot}/{id}"))
}

fn respell_list(handles: Option<&mut Json>) {
    for handle in handles.and_then(Json::as_array_mut).into_iter().flatten() {
        if let Some(new) = handle.as_str().and_then(respelled) {
            *handle = Json::from(new);
        }
    }
}

/// The `waiting` that 91 should have, as JSON.
fn respell_waiting(mut waiting: Json) -> Json {
    respell_list(waiting.get_mut("handles"));
    for call in waiting
        .get_mut("pending")
        .and_then(Json::as_array_mut)
        .into_iter()
        .flatten()
    {
        if call.get("name").and_then(Json::as_str) != Some("wait") {
            continue;
        }
        let Some(arguments) = call.get_mut("arguments") else {
            continue;
        };
        if let Some(inner) = arguments
            .as_str()
            .and_then(|text| serde_json::from_str::<Json>(text).ok())
        {
            *arguments = inner;
        }
        respell_list(arguments.get_mut("handles"));
    }
    waiting
}

/// Arguments that are a string are compared by what it holds.
fn unwrap_arguments(mut waiting: Json) -> Json {
    for call in waiting
        .get_mut("pending")
        .and_then(Json::as_array_mut)
        .into_iter()
        .flatten()
    {
        let is_wait = call.get("name").and_then(Json::as_str) == Some("wait");
        if let Some(arguments) = call.get_mut("arguments").filter(|_| is_wait)
            && let Some(inner) = arguments
                .as_str()
                .and_then(|text| serde_json::from_str::<Json>(text).ok())
        {
            *arguments = inner;
        }
    }
    waiting
}

fn respell_quotes(quotes: Json) -> Json {
    let Json::Array(list) = quotes else { return quotes };
    let respell = |quote: Json| {
        let Json::Object(mut members) = quote else {
            return quote;
        };
        if members
            .get("turn")
            .and_then(Json::as_i64)
            .is_some_and(|turn| turn > 0)
            && let Some(turn) = members.remove("turn")
        {
            members.insert("message".to_owned(), turn);
        }
        Json::Object(members)
    };
    Json::Array(list.into_iter().map(respell).collect())
}

fn handles_and_quotes_are_respelled(old: &Connection, new: &Connection) -> Verdict {
    let before = by_number(old, "SELECT id, waiting FROM turns WHERE started_ms IS NOT NULL")?;
    let behind = by_number(new, "SELECT id, waiting FROM turns")?;
    for (id, row) in before {
        let new = behind.get(&id).and_then(|row| text(&row[1]));
        let is_right = match text(&row[1]).map(|text| (text, serde_json::from_str::<Json>(text).ok())) {
            None => new.is_none(),
            Some((old, None)) => new == Some(old),
            Some((_, Some(old))) => {
                let new = new
                    .and_then(|text| serde_json::from_str(text).ok())
                    .map(unwrap_arguments);
                new == Some(respell_waiting(old))
            }
        };
        ensure(is_right, || format!("{id} waits for {new:?}, before for {row:?}"))?;
    }
    let before = by_number(old, "SELECT id, quotes FROM turns")?;
    let behind = by_number(new, "SELECT number, quotes FROM messages")?;
    for (id, row) in before {
        let new = behind.get(&id).and_then(|row| text(&row[1]));
        let is_right = match text(&row[1]).map(|text| (text, serde_json::from_str::<Json>(text).ok())) {
            None => new.is_none(),
            Some((old, None)) => new == Some(old),
            Some((_, Some(old))) => {
                new.and_then(|text| serde_json::from_str(text).ok()) == Some(respell_quotes(old))
            }
        };
        ensure(is_right, || format!("{id} quotes {new:?}, before {row:?}"))?;
    }
    Ok(())
}

fn events_are_refiled(old: &Connection, new: &Connection, runs: &BTreeSet<i64>) -> Verdict {
    let rows = numbers(old, "SELECT id FROM turns")?;
    let mut behind = all(
        new,
        "SELECT id, bot, turn, kind, data, message FROM events ORDER BY id",
    )?
    .into_iter();
    for mut event in all(old, "SELECT id, bot, turn, kind, data FROM events ORDER BY id")? {
        let (turn, message) = filed(&event, runs, &rows);
        event[2] = turn;
        event.push(message);
        let found = behind.next();
        ensure(found.as_ref() == Some(&event), || {
            format!("event {found:?} is not {event:?}")
        })?;
    }
    ensure(behind.next().is_none(), || {
        "an event that nobody wrote".to_owned()
    })
}

/// The turn and the message that an event of 90 is filed under at 91.
fn filed(event: &Values, runs: &BTreeSet<i64>, rows: &BTreeSet<i64>) -> (Value, Value) {
    let (null, own) = (Value::Null, event[2].clone());
    match (number(&own), text(&event[3])) {
        (Some(run), kind) if runs.contains(&run) => match kind {
            Some("queued") => (null, own),
            Some("steered") => {
                let steer = text(&event[4])
                    .and_then(|data| serde_json::from_str::<Json>(data).ok())
                    .and_then(|data| data.get("steer")?.as_i64())
                    .filter(|steer| rows.contains(steer));
                (own, steer.map_or(null, Value::Integer))
            }
            _ => (own, null),
        },
        (Some(id), _) if rows.contains(&id) => (null, own),
        _ => (own, null),
    }
}

fn the_sequence_is_ahead(old: &Connection, new: &Connection) -> Verdict {
    let last = first(new, "SELECT last_id FROM message_sequence WHERE singleton = 1")?;
    for sql in [
        "SELECT max(last_id) FROM turn_sequence",
        "SELECT max(id) FROM turns",
        "SELECT max(turn) FROM nodes WHERE turn < 9223372036854775807",
        "SELECT max(turn) FROM events WHERE turn < 9223372036854775807",
        "SELECT max(from_turn) FROM turns WHERE from_turn < 9223372036854775807",
        "SELECT max(expected_turn) FROM turns WHERE expected_turn < 9223372036854775807",
        "SELECT max(turn) FROM senders WHERE turn < 9223372036854775807",
    ] {
        ensure(last >= first(old, sql)?, || {
            format!("the sequence is at {last:?}, behind {sql}")
        })?;
    }
    Ok(())
}

fn the_store_is_whole(new: &Connection) -> Verdict {
    ensure(all(new, "PRAGMA foreign_key_check")?.is_empty(), || {
        "a foreign key is violated".to_owned()
    })?;
    let fresh = Connection::open_in_memory().map_err(|error| error.to_string())?;
    rex_store::daemon::create_91(&fresh).map_err(|error| error.to_string())?;
    let read = |of| Schema::read(of).map_err(|error| error.to_string());
    let differences = read(new)?.differences(&read(&fresh)?);
    ensure(differences.is_empty(), || {
        format!("the schema is not a fresh one: {differences:?}")
    })
}

fn the_report_adds_up(upgraded: &Upgraded) -> Verdict {
    let report = upgraded
        .report
        .get("attribution")
        .ok_or("the report has no attribution")?;
    let of = |key: &str| {
        report
            .get(key)
            .and_then(Json::as_i64)
            .ok_or_else(|| format!("the report has no {key}"))
    };
    let count = |sql: &str| first(&upgraded.new, sql).map(Option::unwrap_or_default);
    let rules = report
        .get("by_rule")
        .and_then(Json::as_object)
        .ok_or("the report has no rules")?;
    let rule = |key: &str| {
        rules
            .get(key)
            .and_then(Json::as_i64)
            .ok_or_else(|| format!("the report has no rule {key}"))
    };
    let mut sum = 0;
    for key in ["own", "a", "b", "c", "d", "e"] {
        sum += rule(key)?;
    }
    let facts = [
        (
            "read",
            of("read")?,
            first(&upgraded.old, "SELECT count(*) FROM turns")?.unwrap_or_default(),
        ),
        ("written", of("written")?, count("SELECT count(*) FROM messages")?),
        (
            "the rules",
            sum,
            count("SELECT count(*) FROM messages WHERE status = 'taken'")?,
        ),
        ("own", rule("own")?, count("SELECT count(*) FROM turns")?),
        ("e", rule("e")?, of("without_turn")?),
        (
            "without_turn",
            of("without_turn")?,
            count("SELECT count(*) FROM messages WHERE status = 'taken' AND turn IS NULL")?,
        ),
        (
            "without_node",
            of("without_node")?,
            count("SELECT count(*) FROM messages WHERE status = 'taken' AND node IS NULL")?,
        ),
    ];
    for (what, reported, counted) in facts {
        ensure(reported == counted, || {
            format!("the report says {what} {reported}, counted {counted}")
        })?;
    }
    Ok(())
}
