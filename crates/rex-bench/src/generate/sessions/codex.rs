//! Rollouts of Codex 0.171.0 and the two databases that know them.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use super::{END_MS, Home, stamp};
use crate::error::BenchError;
use crate::generate::daemon::words;

const MIGRATIONS: &str = include_str!("codex_migrations.tsv");

/// Writes the threads, each of about so many bytes, and the databases.
pub(super) fn write(home: &mut Home<'_>, sizes: &[u64]) -> Result<(), BenchError> {
    home.write(
        Path::new(".codex/installation_id"),
        b"6f1c3d52-0b7e-4f5e-9a55-1a2b3c4d5e6f",
        END_MS,
    )?;
    // A key of nobody: without one the client refuses every session.
    home.write(
        Path::new(".codex/auth.json"),
        br#"{"OPENAI_API_KEY":"sk-of-nobody"}"#,
        END_MS,
    )?;
    let folder = home.folder.join(".codex");
    let state = database(
        &folder.join("state_5.sqlite"),
        "state_5",
        include_str!("state_5.sql"),
    )?;
    let history = database(
        &folder.join("thread_history_1.sqlite"),
        "thread_history_1",
        include_str!("thread_history_1.sql"),
    )?;
    for bytes in sizes {
        let started_ms = END_MS - home.dice.range(0, 60 * 86_400_000);
        let mut rollout = Rollout::new(home, started_ms);
        while (rollout.text.len() as u64) < *bytes {
            rollout.turn(home);
        }
        home.write(&rollout.path(), rollout.text.as_bytes(), rollout.ms)?;
        rollout
            .index(home.path, &state, &history)
            .map_err(sqlite(&folder))?;
    }
    for connection in [&state, &history] {
        connection.execute_batch("COMMIT").map_err(sqlite(&folder))?;
    }
    state
        .execute(
            "INSERT INTO backfill_state VALUES(1,'complete',NULL,?1,?1)",
            [END_MS / 1000],
        )
        .map_err(sqlite(&folder))?;
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a database that does not exist yet has no way to be opened that fits"
)]
fn database(path: &Path, name: &str, schema: &str) -> Result<Connection, BenchError> {
    let create = || {
        let connection = Connection::open(path)?;
        connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")?;
        connection.execute_batch(schema)?;
        let sql = "INSERT INTO _sqlx_migrations VALUES(?1,?2,'2026-06-01 08:00:00',1,unhex(?3),1000)";
        for line in MIGRATIONS.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            if let [of, version, description, checksum] = fields.as_slice()
                && *of == name
            {
                connection.execute(sql, params![version.parse::<i64>().ok(), description, checksum])?;
            }
        }
        Ok(connection)
    };
    create().map_err(sqlite(path))
}

fn sqlite(path: &Path) -> impl FnOnce(rusqlite::Error) -> BenchError {
    let path = path.to_owned();
    move |source| BenchError::Sqlite {
        doing: "write",
        path,
        source,
    }
}

/// A rollout under construction.
struct Rollout {
    id: String,
    cwd: String,
    started_ms: i64,
    ms: i64,
    ordinal: i64,
    title: Option<String>,
    items: Vec<Item>,
    text: String,
}

/// What the projection knows of a message.
struct Item {
    turn: String,
    id: String,
    ordinal: i64,
    ms: i64,
    kind: &'static str,
}

impl Rollout {
    fn new(home: &mut Home<'_>, ms: i64) -> Self {
        let mut rollout = Self {
            id: home.uuid_at(ms),
            cwd: home.project().to_string_lossy().into_owned(),
            started_ms: ms,
            ms,
            ordinal: 0,
            title: None,
            items: Vec::new(),
            text: String::new(),
        };
        let instructions = words::plain(&mut home.dice, 20_000);
        let (id, cwd) = (&rollout.id, &rollout.cwd);
        let meta = format!(
            r#"{{"session_id":"{id}","id":"{id}","timestamp":"{}","cwd":{cwd:?},"runtime_workspace_roots":[{cwd:?}],"originator":"codex-tui","cli_version":"0.171.0","source":"cli","thread_source":"user","model_provider":"openai","base_instructions":{{"text":"{instructions}"}},"history_mode":"paginated","memory_mode":"enabled"}}"#,
            stamp(ms)
        );
        rollout.line(home, "session_meta", &meta);
        rollout
    }

    /// The name holds the second of the start.
    fn path(&self) -> PathBuf {
        let start = stamp(self.started_ms);
        let (day, time) = start.split_once('T').unwrap_or_default();
        let second = time.get(..8).unwrap_or_default().replace(':', "-");
        let name = format!("rollout-{day}T{second}-{}.jsonl", self.id);
        Path::new(".codex/sessions")
            .join(day.replace('-', "/"))
            .join(name)
    }

    fn line(&mut self, home: &mut Home<'_>, kind: &str, payload: &str) {
        let stamp = stamp(self.ms);
        let line = format!(
            r#"{{"timestamp":"{stamp}","ordinal":{},"type":"{kind}","payload":{payload}}}"#,
            self.ordinal
        );
        self.text.push_str(&line);
        self.text.push('\n');
        self.ordinal += 1;
        self.ms += home.dice.range(1, 3000);
    }

    fn turn(&mut self, home: &mut Home<'_>) {
        let turn = home.uuid_at(self.ms);
        let prompt = words::draw_plain(&mut home.dice);
        let started = self.ms / 1000;
        self.line(
            home,
            "event_msg",
            &format!(r#"{{"type":"task_started","turn_id":"{turn}","started_at":{started}}}"#),
        );
        let context = format!(
            r#"{{"turn_id":"{turn}","cwd":{:?},"approval_policy":"never","model":"gpt-6","summary":"none","sandbox_policy":{{"type":"danger-full-access"}}}}"#,
            self.cwd
        );
        self.line(home, "turn_context", &context);
        self.message(home, &turn, &prompt, true);
        for call in 0..home.dice.below(6) {
            self.tool(home, &turn, call);
        }
        let reply = words::draw_plain(&mut home.dice);
        self.message(home, &turn, &reply, false);
        self.line(
            home,
            "event_msg",
            &format!(r#"{{"type":"task_complete","turn_id":"{turn}","last_agent_message":"{reply}"}}"#),
        );
        self.title.get_or_insert(prompt);
    }

    /// A message as the model sees it and as the screen shows it.
    fn message(&mut self, home: &mut Home<'_>, turn: &str, text: &str, is_user: bool) {
        let id = format!("msg_{}", home.uuid_at(self.ms));
        let (role, part, item, shown, kind) = if is_user {
            ("user", "input_text", "UserMessage", "text", "userMessage")
        } else {
            ("assistant", "output_text", "AgentMessage", "Text", "agentMessage")
        };
        let payload = format!(
            r#"{{"type":"message","id":"{id}","role":"{role}","content":[{{"type":"{part}","text":"{text}"}}],"internal_chat_message_metadata_passthrough":{{"turn_id":"{turn}","content_item_kinds":["user.text"]}}}}"#
        );
        self.line(home, "response_item", &payload);
        self.items.push(Item {
            turn: turn.to_owned(),
            id: id.clone(),
            ordinal: self.ordinal,
            ms: self.ms,
            kind,
        });
        let payload = format!(
            r#"{{"type":"item_completed","thread_id":"{}","turn_id":"{turn}","item":{{"type":"{item}","id":"{id}","content":[{{"type":"{shown}","text":"{text}"}}]}}}}"#,
            self.id
        );
        self.line(home, "event_msg", &payload);
    }

    fn tool(&mut self, home: &mut Home<'_>, turn: &str, call: u64) {
        let call_id = format!("call_{call}_{:012x}", home.dice.below(1 << 48));
        let payload = format!(
            r#"{{"type":"function_call","name":"shell","arguments":"{{\"cmd\":\"ls\"}}","call_id":"{call_id}","internal_chat_message_metadata_passthrough":{{"turn_id":"{turn}"}}}}"#
        );
        self.line(home, "response_item", &payload);
        let output_bytes = match home.dice.below(20) {
            0 => home.dice.range(20_000, 60_000),
            _ => home.dice.range(100, 6_000),
        };
        let output = words::plain(&mut home.dice, output_bytes as usize);
        let payload =
            format!(r#"{{"type":"function_call_output","call_id":"{call_id}","output":"{output}"}}"#);
        self.line(home, "response_item", &payload);
    }

    /// The thread's row, its turns, its items and the cursor of the projection.
    fn index(&self, home: &Path, state: &Connection, history: &Connection) -> rusqlite::Result<()> {
        let path = home.join(self.path());
        let title = self.title.as_deref().unwrap_or_default();
        state
            .prepare_cached(
                "INSERT INTO threads(id,rollout_path,created_at,updated_at,source,model_provider,cwd,title,sandbox_policy,\
                 approval_mode,cli_version,first_user_message,model,created_at_ms,updated_at_ms,thread_source,preview,\
                 recency_at,recency_at_ms,history_mode,originator) VALUES(?1,?2,?3,?4,'cli','openai',?5,?6,\
                 '{\"type\":\"danger-full-access\"}','never','0.171.0',?6,'gpt-6',?7,?8,'user',?6,?4,?8,'paginated','codex-tui')",
            )?
            .execute(params![
                self.id,
                path.to_string_lossy(),
                self.started_ms / 1000,
                self.ms / 1000,
                self.cwd,
                title,
                self.started_ms,
                self.ms
            ])?;
        let mut item =
            history.prepare_cached("INSERT INTO thread_items VALUES(?1,?2,?3,?4,?5,?6,?7,?4,?5,?5)")?;
        for known in &self.items {
            let json = format!(r#"{{"type":"{}","id":"{}"}}"#, known.kind, known.id);
            item.execute(params![
                self.id,
                known.turn,
                known.id,
                known.ordinal,
                known.ms,
                json,
                known.kind
            ])?;
        }
        history
            .prepare_cached(
                "INSERT INTO thread_turns(thread_id,turn_id,rollout_ordinal,status,started_at,completed_at)
                 SELECT thread_id,turn_id,min(rollout_ordinal),'completed',min(created_at_ms)/1000,max(created_at_ms)/1000
                 FROM thread_items WHERE thread_id=?1 GROUP BY turn_id",
            )?
            .execute([&self.id])?;
        history
            .prepare_cached("INSERT INTO thread_history_projection_state VALUES(?1,?2,?3)")?
            .execute(params![self.id, self.text.len() as i64, self.ordinal])?;
        Ok(())
    }
}
