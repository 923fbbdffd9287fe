//! The least that a program could do by hand to write the same rows under the same indexes: statements prepared once,
//! what the store would look up known beforehand, nothing checked.

use rusqlite::{Connection, Statement, params};

/// What the library would have to read: where the bot stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// The head.
    pub(super) head: Option<i64>,
    /// Of the items down to it.
    pub(super) total_bytes: i64,
    /// Of the head.
    pub(super) depth: i64,
    /// Ordinal of the last run.
    pub(super) ordinal: i64,
}

/// The statements, prepared.
#[derive(Debug)]
pub(super) struct Least<'c> {
    begin: Statement<'c>,
    commit: Statement<'c>,
    number: Statement<'c>,
    node_number: Statement<'c>,
    node: Statement<'c>,
    message: Statement<'c>,
    retained: Statement<'c>,
    turn: Statement<'c>,
    event: Statement<'c>,
    bot: Statement<'c>,
}

impl<'c> Least<'c> {
    /// Prepares the statements.
    pub(super) fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        let sql = |sql| connection.prepare(sql);
        Ok(Self {
            begin: sql("BEGIN IMMEDIATE")?,
            commit: sql("COMMIT")?,
            number: sql("UPDATE message_sequence SET last_id = last_id + 1 WHERE singleton = 1 RETURNING last_id")?,
            node_number: sql("UPDATE node_sequence SET last_id = last_id + 1 WHERE singleton = 1 RETURNING last_id")?,
            node: sql(
                "INSERT INTO nodes(id, parent, item, total_bytes, depth, turn, turn_seq) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?,
            message: sql(
                "INSERT INTO messages(number, bot, request_id, words, delivery, workspace, model, status, turn, node,
                    sent_ms, taken_ms)
                VALUES (?1, ?2, ?3, ?4, 'reject', ?5, ?6, 'taken', ?1, ?7, ?8, ?8)",
            )?,
            retained: sql("INSERT INTO retained_messages(message, bot) VALUES (?1, ?2)")?,
            turn: sql("INSERT INTO turns(id, bot, status, started_ms) VALUES (?1, ?2, 'running', ?3)")?,
            event: sql("INSERT INTO events(bot, turn, kind, data) VALUES (?1, ?2, 'accepted', ?3)")?,
            bot: sql("UPDATE bots SET head = ?2, status = 'running', running_turn = ?3 WHERE name = ?1")?,
        })
    }

    /// Writes a message that opens a run.
    pub(super) fn submit(
        &mut self,
        bot: &str,
        request_id: &str,
        words: &str,
        known: &mut Known,
        now_ms: i64,
    ) -> rusqlite::Result<i64> {
        self.begin.execute([])?;
        let number: i64 = self.number.query_row([], |row| row.get(0))?;
        let node: i64 = self.node_number.query_row([], |row| row.get(0))?;
        let text = serde_json::Value::from(words);
        let item = format!(
            r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":{text}}}]}}"#
        );
        let depth = known.head.map_or(0, |_| known.depth + 1);
        let total_bytes = known.total_bytes + item.len() as i64;
        let ordinal = known.ordinal + 1;
        let head = known.head;
        self.node.execute(params![
            node,
            head,
            item.as_bytes(),
            total_bytes,
            depth,
            number,
            ordinal
        ])?;
        self.message.execute(params![
            number,
            bot,
            request_id,
            words,
            "/srv/home",
            "large-1",
            node,
            now_ms
        ])?;
        self.retained.execute(params![number, bot])?;
        self.turn.execute(params![number, bot, now_ms])?;
        let data = format!(r#"{{"request_id":"{request_id}","node":{node}}}"#);
        self.event.execute(params![bot, number, data])?;
        self.bot.execute(params![bot, node, number])?;
        self.commit.execute([])?;
        *known = Known {
            head: Some(node),
            total_bytes,
            depth,
            ordinal,
        };
        Ok(number)
    }
}
