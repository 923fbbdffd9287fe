//! One conversation: a person asks, an agent thinks, calls tools and answers.

use rusqlite::{Connection, params};

use super::{Generation, words};
use crate::generate::dice::Dice;

/// The gateways that a store of generation 13 has.
pub(super) const GATEWAY: &str = "
    INSERT INTO agent_gateway VALUES ('rex-original', 'Original', 'original', 1, '2026-08-20T10:00:00.000Z'),
        ('rex-builtin', 'Built-in', 'builtin', 0, '2026-08-20T10:00:00.000Z');
    INSERT INTO gateway_route(gateway_id, sdk, auth)
        SELECT 'rex-original', value, 'inherit' FROM json_each('[\"claude-agent\", \"codex\", \"opencode\", \"deep-agents\"]');
    INSERT INTO gateway_route(gateway_id, sdk, base_url, auth, credential_env)
        SELECT 'rex-builtin', value, 'http://127.0.0.1:24334' || iif(value = 'claude-agent', '', '/v1'), 'environment',
            'REX_GATEWAY_KEY' FROM json_each('[\"claude-agent\", \"codex\", \"opencode\", \"deep-agents\"]');";

/// Of a thousand tool results so many failed, and of a hundred of those so many were not allowed: fourteen of
/// twenty-four in the one store that was counted.
const FAILED_PERMILLE: u32 = 30;
const DENIED_PERCENT: u32 = 58;

const OLD: &str =
    "INSERT INTO message(id, thread_id, seq, role, kind, content, tool_name, tool_input_json, is_error,
    created_at, duration_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
const NEW: &str = "INSERT INTO message(id, thread_id, seq, role, kind, content, tool_name, tool_input_json, is_error,
    created_at, duration_ms, denied, mode, sdk, gateway_name, run_id)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, iif(?14 IS NULL, NULL, 'Original'), ?15)";

/// Writes conversations.
pub(super) struct Talk {
    generation: Generation,
    clock: u64,
}

/// One row before it has its place.
#[derive(Default)]
struct Row {
    role: &'static str,
    kind: &'static str,
    content: Option<String>,
    tool: Option<&'static str>,
    input: Option<String>,
    is_error: bool,
    is_denied: bool,
}

const TOOLS: [&str; 4] = ["Read", "Bash", "Grep", "Edit"];

impl Talk {
    pub(super) fn new(generation: Generation) -> Self {
        Self { generation, clock: 0 }
    }

    /// Writes a conversation of exactly so many rows; one of a single row is a note.
    pub(super) fn write(
        &mut self,
        store: &Connection,
        dice: &mut Dice,
        thread: &str,
        rows: u64,
    ) -> rusqlite::Result<()> {
        let mut seq = 0;
        while seq < rows {
            for row in turn(dice).into_iter().take((rows - seq) as usize) {
                self.insert(store, dice, (thread, seq, rows == 1), &row)?;
                seq += 1;
            }
        }
        Ok(())
    }

    fn insert(
        &mut self,
        store: &Connection,
        dice: &mut Dice,
        (thread, seq, is_note): (&str, u64, bool),
        row: &Row,
    ) -> rusqlite::Result<()> {
        self.clock += 1;
        let is_new = self.generation == Generation::G13;
        let duration = (row.kind == "completed").then(|| dice.range(500, 90_000));
        let mode = match (row.kind, row.role, is_note) {
            ("text", "user", true) => Some("note"),
            ("text", "user", false) => Some("ask"),
            _ => None,
        };
        let (id, at) = (dice.uuid(), words::time(self.clock));
        let sdk = (!is_note).then_some("claude-agent");
        let run = sdk.map(|_| format!("mf{:x}-1", self.clock));
        let mut statement = store.prepare_cached(if is_new { NEW } else { OLD })?;
        let (content, input) = (row.content.as_deref(), row.input.as_deref());
        let (seq, is_error) = (seq as i64, i64::from(row.is_error));
        if is_new {
            let denied = i64::from(row.is_denied);
            statement.execute(params![
                id, thread, seq, row.role, row.kind, content, row.tool, input, is_error, at, duration,
                denied, mode, sdk, run
            ])?;
        } else {
            statement.execute(params![
                id, thread, seq, row.role, row.kind, content, row.tool, input, is_error, at, duration
            ])?;
        }
        Ok(())
    }
}

/// A question, some thinking, 4 to 30 calls with their results, one to three answers, and the end.
fn turn(dice: &mut Dice) -> Vec<Row> {
    let say = |role, kind, content| Row {
        role,
        kind,
        content: Some(content),
        ..Row::default()
    };
    let mut rows = vec![say("user", "text", words::text(dice, 120))];
    for _ in 0..dice.range(4, 30) {
        if dice.chance(200) {
            rows.push(say("assistant", "thinking", words::text(dice, 300)));
        }
        call(dice, &mut rows);
    }
    for _ in 0..dice.range(1, 3) {
        rows.push(say("assistant", "text", words::text(dice, 700)));
    }
    rows.push(say("system", "completed", "Completed".to_owned()));
    rows
}

fn call(dice: &mut Dice, rows: &mut Vec<Row>) {
    let tool = *dice.pick(&TOOLS);
    let argument = words::text(dice, 60);
    rows.push(Row {
        role: "assistant",
        kind: "tool_call",
        tool: Some(tool),
        input: Some(format!(r#"{{"command":"{argument}"}}"#)),
        ..Row::default()
    });
    let is_error = dice.chance(FAILED_PERMILLE);
    let is_denied = is_error && dice.chance(DENIED_PERCENT * 10);
    let words = if is_denied {
        format!("'{argument}' is not on the allowlist")
    } else {
        words::result(dice)
    };
    if is_denied {
        rows.push(Row {
            role: "system",
            kind: "text",
            content: Some(format!("Denied {tool}: {words}")),
            ..Row::default()
        });
    }
    rows.push(Row {
        role: "user",
        kind: "tool_result",
        content: Some(words),
        tool: Some(tool),
        is_error,
        is_denied,
        ..Row::default()
    });
}
