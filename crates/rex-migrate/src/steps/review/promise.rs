//! What must be equal before and after all steps, made for the store as it is: every old column of every row, with its
//! row number, is found again, and what is new is what the rules make of what was there.
//!
//! The rules are stated here as queries on the old store, apart from the code that follows them.

use rex_store::review::Shape;
use rusqlite::Connection;

use super::{Doing as _, Seen, anchors, exists, full_text, gateways, lanes, positions, route, sessions};
use crate::step::StepError;
use crate::survey::{Fact, Promise, ordinary_tables};

const ID: &str = "review.promise";

/// Makes the facts.
pub(super) fn of(connection: &Connection) -> Result<Promise, StepError> {
    let seen = Seen::of(connection)?;
    let mut facts = Vec::new();
    let is_rebuilt = full_text::is_behind(&seen)?;
    for table in ordinary_tables(connection).doing(ID, "list the tables")? {
        match table.as_str() {
            "thread" => facts.push(thread(&seen)?),
            "message" => facts.push(message(&seen)),
            "thread_target" | "thread_session" | "agent_gateway" | "gateway_route" | "setting" => {}
            _ if table.starts_with("message_fts_") => {
                facts.extend(full_text_table(&seen.shape, &table, is_rebuilt));
            }
            _ => facts.push(same(&seen.shape, &table)),
        }
    }
    facts.extend(targets(&seen)?);
    facts.extend(routes(&seen)?);
    facts.extend(stored_sessions(&seen)?);
    facts.push(settings(&seen));
    facts.push(fact(
        "message_fts_docsize",
        full_text::KEYS.0,
        full_text::KEYS.1,
        "the full-text index knows every message",
    ));
    for table in [
        "comment_group",
        "workspace_rule",
        "gateway_provider",
        "gateway_model",
    ] {
        if !seen.shape.has_table(table) {
            facts.push(fact(
                table,
                NOTHING,
                &format!("SELECT 1 FROM {table}"),
                "made, without a row",
            ));
        }
    }
    for table in ["message_fts_data", "message_fts_idx", "message_fts_config"] {
        if !seen.shape.has_table(table) {
            facts.push(fact(table, NOTHING, NOTHING, "made with the full-text index"));
        }
    }
    Ok(Promise {
        facts,
        rewritten: &["thread_target", "gateway_route", "thread_session"],
    })
}

/// Names what an upgraded store lacks. Sets are compared, never texts or orders: there are many legal ways to be of the
/// newest generation.
pub(super) fn lacking(connection: &Connection) -> Result<Vec<String>, StepError> {
    let doing = "make a fresh store to compare with";
    let fresh = Connection::open_in_memory().doing(ID, doing)?;
    rex_store::review::create_13(&fresh).map_err(StepError::Store)?;
    let fresh = Shape::read(&fresh).map_err(StepError::Store)?;
    let shape = Shape::read(connection).map_err(StepError::Store)?;
    let mut lacking: Vec<String> = Vec::new();
    for table in fresh.tables() {
        if !shape.has_table(table) {
            lacking.push(format!("table {table} is missing"));
            continue;
        }
        let columns = fresh
            .columns(table)
            .iter()
            .filter(|column| !shape.has_column(table, column));
        lacking.extend(columns.map(|column| format!("column {table}.{column} is missing")));
    }
    let others = fresh.others().filter(|(name, _)| !shape.has_other(name));
    lacking.extend(others.map(|(name, kind)| format!("{kind} {name} is missing")));
    if shape.has("thread.stroke_json") {
        lacking.push("column thread.stroke_json is unknown".to_owned());
    }
    for (check, what) in [
        (lanes::STATUSES, "thread.status"),
        (gateways::KINDS, "agent_gateway.kind"),
        (gateways::AUTHS, "gateway_route.auth"),
    ] {
        if !check.holds(connection)? {
            lacking.push(format!("the CHECK of {what} takes other words than it should"));
        }
    }
    Ok(lacking)
}

const NOTHING: &str = "SELECT 1 WHERE false";

fn fact(table: &str, before: &str, after: &str, rule: &str) -> Fact {
    Fact {
        table: table.to_owned(),
        before: before.to_owned(),
        after: after.to_owned(),
        rule: rule.to_owned(),
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A table that no step touches.
fn same(shape: &Shape, table: &str) -> Fact {
    let columns: Vec<String> = shape.columns(table).iter().map(|column| quoted(column)).collect();
    let sql = format!("SELECT {} FROM {}", columns.join(", "), quoted(table));
    fact(table, &sql, &sql, "unchanged")
}

/// The index's own tables are as they were, unless it is made anew.
fn full_text_table(shape: &Shape, table: &str, is_rebuilt: bool) -> Option<Fact> {
    match table {
        "message_fts_docsize" if is_rebuilt => None,
        _ if is_rebuilt => Some(fact(table, NOTHING, NOTHING, "made anew from the messages")),
        _ => Some(same(shape, table)),
    }
}

/// A column with what is expected of it, as a query on the old store.
struct Expected {
    before: Vec<String>,
    after: Vec<String>,
}

impl Expected {
    /// The old columns, save those for which `is_left_out`.
    fn of(shape: &Shape, table: &str, is_left_out: impl Fn(&str) -> bool) -> Self {
        let mut columns = vec!["rowid".to_owned()];
        columns.extend(
            shape
                .columns(table)
                .iter()
                .filter(|column| !is_left_out(column))
                .map(|column| quoted(column)),
        );
        Self {
            before: columns.clone(),
            after: columns,
        }
    }

    /// Adds a column that the store does not have yet, or whose content a step changes.
    fn add(&mut self, column: &str, before: &str) {
        self.before.push(before.to_owned());
        self.after.push(column.to_owned());
    }

    fn fact(&self, table: &str, rule: &str) -> Fact {
        let sql = |columns: &[String]| format!("SELECT {} FROM {table}", columns.join(", "));
        fact(table, &sql(&self.before), &sql(&self.after), rule)
    }
}

fn thread(seen: &Seen<'_>) -> Result<Fact, StepError> {
    let shape = &seen.shape;
    let mut expected = Expected::of(shape, "thread", |column| {
        ["stroke_json", "status", "position"].contains(&column)
    });
    for column in ["extra_anchors_json", "title", "group_id", "style"] {
        if !shape.has_column("thread", column) {
            expected.add(column, "NULL");
        }
    }
    if !shape.has("thread.is_note") {
        expected.add("is_note", "0");
    }
    let notes = lanes::open_notes(lanes::is_before_10(seen));
    if lanes::notes_to_move(seen)? {
        expected.add("status", &format!("iif(id IN ({notes}), 'note', status)"));
    } else {
        expected.add("status", "status");
    }
    let has_position = shape.has("thread.position");
    let ranks = positions::ranks(shape.has("thread.group_id"), has_position);
    let old = if has_position { "position" } else { "NULL" };
    expected.add(
        "position",
        &format!("coalesce((SELECT r.position FROM ({ranks}) r WHERE r.thread = thread.rowid), {old})"),
    );
    Ok(expected.fact(
        "thread",
        "every comment with its row number; notes in their lane, comments never ranked by time and id",
    ))
}

fn message(seen: &Seen<'_>) -> Fact {
    let shape = &seen.shape;
    let mut expected = Expected::of(shape, "message", |_| false);
    for column in ["mode", "model", "style", "run_id", "base_url"] {
        if !shape.has_column("message", column) {
            expected.add(column, "NULL");
        }
    }
    if !shape.has("message.sdk") {
        let seen_by_agent = route::is_seen(shape.has("message.mode"), shape.has("thread.is_note"));
        expected.add("sdk", &format!("iif({seen_by_agent}, 'claude-agent', NULL)"));
        if !shape.has("message.gateway_name") {
            expected.add("gateway_name", &format!("iif({seen_by_agent}, 'Original', NULL)"));
        }
    }
    if !shape.has("message.denied") {
        // Exactly which are marked is another rule's matter; none but these can be.
        expected.before.push("0".to_owned());
        expected.after.push(
            "denied NOT IN (0, kind = 'tool_result' AND is_error = 1 AND coalesce(content, '') <> '')"
                .to_owned(),
        );
    }
    expected.fact(
        "message",
        "every message with its row number; only failed tool results are marked as denied, and notes name no agent",
    )
}

/// The highest row number of a table; -1 without a row, 0 without the table.
fn highest(seen: &Seen<'_>, table: &str) -> Result<i64, StepError> {
    if !seen.shape.has_table(table) {
        return Ok(0);
    }
    seen.connection
        .query_row(
            &format!("SELECT coalesce(max(rowid), 0) FROM {table}"),
            [],
            |row| row.get(0),
        )
        .doing(ID, "read the highest row number")
}

/// Old rows, and the rows that the old anchors become: compared as JSON, whatever its blanks.
fn targets(seen: &Seen<'_>) -> Result<Vec<Fact>, StepError> {
    let table = "thread_target";
    let highest = highest(seen, table)?;
    let mut facts = Vec::new();
    if seen.shape.has_table(table) {
        let old = Expected::of(&seen.shape, table, |_| false).fact(table, "every place with its row number");
        facts.push(Fact {
            after: format!("{} WHERE rowid <= {highest}", old.after),
            ..old
        });
    }
    let from = anchors::candidates(seen.shape.has_table(table));
    let (is_place, has_document, has_list) = (anchors::IS_PLACE, anchors::HAS_DOCUMENT, anchors::HAS_LIST);
    let first = format!(
        "SELECT t.id, 0, t.document_id, json(t.anchor_json), t.anchor_state {from} AND {is_place} AND {has_document}"
    );
    let more = if seen.shape.has("thread.extra_anchors_json") {
        let from = from.replacen(
            "FROM thread t",
            &format!("FROM thread t, json_each(iif({has_list}, t.extra_anchors_json, '[]')) e"),
            1,
        );
        format!(
            "UNION ALL SELECT t.id, e.key + 1, t.document_id,
                json(t.extra_anchors_json -> e.fullkey), t.anchor_state {from} AND {is_place} AND {has_document}"
        )
    } else {
        String::new()
    };
    facts.push(fact(
        table,
        &format!("{first} {more}"),
        &format!(
            "SELECT thread_id, position, document_id, json(anchor_json), anchor_state FROM thread_target
                WHERE rowid > {highest}"
        ),
        "each old anchor that can be read is a place, the first at 0 and the others behind it",
    ));
    Ok(facts)
}

/// Gateways and routes that are not retired, and what every store has.
fn routes(seen: &Seen<'_>) -> Result<Vec<Fact>, StepError> {
    let added = added_gateways(seen)?;
    let mut facts = Vec::new();
    for (table, gateway) in [("agent_gateway", "id"), ("gateway_route", "gateway_id")] {
        if !seen.shape.has_table(table) {
            let sql = format!("SELECT 1 FROM {table} WHERE {gateway} NOT IN ({added})");
            facts.push(fact(
                table,
                NOTHING,
                &sql,
                "made, with nothing in it but the application's own",
            ));
            continue;
        }
        let mut expected = Expected::of(&seen.shape, table, |_| false);
        if table == "agent_gateway" && !seen.shape.has("agent_gateway.enabled") {
            expected.add("enabled", "1");
        }
        if table == "gateway_route" && !seen.shape.has("gateway_route.token_cipher") {
            expected.add("token_cipher", "NULL");
        }
        let fact = expected.fact(table, "everything that is not retired, with its row number");
        facts.push(Fact {
            before: format!(
                "{} WHERE {gateway} NOT IN ({}) AND {gateway} NOT IN ({added})",
                fact.before,
                retired(seen)
            ),
            after: format!("{} WHERE {gateway} NOT IN ({added})", fact.after),
            ..fact
        });
    }
    Ok(facts)
}

/// The gateways of the application itself that the store does not have yet, as a list of SQL.
fn added_gateways(seen: &Seen<'_>) -> Result<String, StepError> {
    let mut added = Vec::new();
    for id in ["rex-original", "rex-builtin"] {
        let sql = format!("SELECT 1 FROM agent_gateway WHERE id = '{id}'");
        if !seen.shape.has_table("agent_gateway") || !exists(seen.connection, ID, &sql)? {
            added.push(format!("'{id}'"));
        }
    }
    Ok(added.join(", "))
}

fn retired(seen: &Seen<'_>) -> &'static str {
    if seen.shape.has_table("agent_gateway") {
        gateways::RETIRED
    } else {
        NOTHING
    }
}

fn stored_sessions(seen: &Seen<'_>) -> Result<Vec<Fact>, StepError> {
    let table = "thread_session";
    let highest = highest(seen, table)?;
    let mut facts = Vec::new();
    if seen.shape.has_table(table) {
        let old = Expected::of(&seen.shape, table, |_| false).fact(
            table,
            "every session that is not of a retired gateway, with its row number",
        );
        facts.push(Fact {
            before: format!("{} WHERE gateway_id NOT IN ({})", old.before, retired(seen)),
            after: format!("{} WHERE rowid <= {highest}", old.after),
            ..old
        });
    }
    let ids = sessions::without_row(seen.shape.has_table(table));
    facts.push(fact(
        table,
        &format!("SELECT id, 'claude-agent', 'rex-original', NULL, session_id FROM thread WHERE id IN ({ids})"),
        &format!("SELECT thread_id, sdk, gateway_id, base_url, session_id FROM thread_session WHERE rowid > {highest}"),
        "the one session of a comment is its session with the agent and the gateway that there were",
    ));
    Ok(facts)
}

fn settings(seen: &Seen<'_>) -> Fact {
    let others = "WHERE key <> 'gateway.retired'";
    let before = if seen.shape.has_table("setting") {
        format!("SELECT key, value FROM setting {others}")
    } else {
        NOTHING.to_owned()
    };
    let after = format!("SELECT key, value FROM setting {others}");
    fact(
        "setting",
        &before,
        &after,
        "every setting but the list of retired gateways",
    )
}
