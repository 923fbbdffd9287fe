//! Writes rows of the store at 90 through prepared statements; keeps nothing but the counters.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Statement, ToSql, params};

/// A row of `turns`, borrowed from the model.
pub(crate) struct TurnRow<'a> {
    pub(crate) number: i64,
    pub(crate) bot: &'a str,
    pub(crate) request: &'a str,
    pub(crate) words: Text<'a>,
    pub(crate) words_node: Option<i64>,
    pub(crate) status: &'a str,
    pub(crate) delivery: &'a str,
    pub(crate) expected: Option<i64>,
    pub(crate) workspace: Option<&'a str>,
    pub(crate) model: Option<&'a str>,
    pub(crate) reasoning: Option<&'a str>,
    pub(crate) inherited: Option<&'a str>,
    pub(crate) from: Option<&'a (String, i64, i64)>,
    pub(crate) origin: Option<&'a str>,
    pub(crate) quotes: Option<&'a str>,
    pub(crate) pictures: Option<&'a str>,
    pub(crate) waiting: Option<&'a str>,
    pub(crate) spent: Spent,
    pub(crate) started_ms: Option<i64>,
    pub(crate) finished_ms: Option<i64>,
}

/// What a run has used; all 0 for a row that never ran.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    pub(crate) rounds: i64,
    pub(crate) view_sent: Option<i64>,
    pub(crate) input: i64,
    pub(crate) output: i64,
    pub(crate) cached: i64,
    pub(crate) retries: i64,
    pub(crate) paced_ms: i64,
}

/// Bytes bound as TEXT, valid UTF-8 or not.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a>(pub(crate) &'a [u8]);

impl ToSql for Text<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Text(self.0)))
    }
}

/// The tables that grow with the rows.
pub(crate) struct Writer<'c> {
    /// For the few statements that run once or seldom.
    pub(crate) connection: &'c Connection,
    node: Statement<'c>,
    turn: Statement<'c>,
    event: Statement<'c>,
    retained: Statement<'c>,
    tool: Statement<'c>,
    artifact: Statement<'c>,
    sender: Statement<'c>,
    last_event: Statement<'c>,
    reclaim: [Statement<'c>; 4],
    nodes: i64,
    events: i64,
}

impl<'c> Writer<'c> {
    /// Prepares the statements on a store that has the schema.
    pub(crate) fn new(connection: &'c Connection) -> rusqlite::Result<Self> {
        let turn = "INSERT INTO turns VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,\
                    ?20,?21,?22,?23,?24,?25,?26,?27,?28)";
        Ok(Self {
            connection,
            node: connection.prepare("INSERT INTO nodes VALUES(?1,?2,CAST(?3 AS BLOB),?4,?5,?6,?7)")?,
            turn: connection.prepare(turn)?,
            event: connection.prepare("INSERT INTO events VALUES(?1,?2,?3,?4,?5)")?,
            retained: connection.prepare("INSERT INTO retained_turns VALUES(?1,?2)")?,
            tool: connection.prepare("INSERT INTO tools VALUES(?1,?2,?3)")?,
            artifact: connection.prepare("INSERT INTO artifacts VALUES(?1,?2,'stdout',?3,?4)")?,
            sender: connection.prepare("INSERT INTO senders VALUES(?1,?2,?3,?4,?5)")?,
            last_event: connection.prepare("SELECT max(id) FROM events WHERE turn = ?1")?,
            reclaim: [
                connection.prepare("DELETE FROM artifacts WHERE turn = ?1")?,
                connection.prepare("DELETE FROM processes WHERE turn = ?1 AND status <> 'running'")?,
                connection.prepare("DELETE FROM tools WHERE turn = ?1")?,
                connection.prepare("DELETE FROM events WHERE turn = ?1")?,
            ],
            nodes: 0,
            events: 0,
        })
    }

    /// Adds a node and returns its id. `run` is the number it is marked with and that run's ordinal.
    pub(crate) fn node(
        &mut self,
        parent: Option<Tip>,
        item: &str,
        run: Option<(i64, i64)>,
    ) -> rusqlite::Result<Tip> {
        self.nodes += 1;
        let tip = Tip {
            node: self.nodes,
            bytes: parent.map_or(0, |tip| tip.bytes) + item.len() as i64,
            depth: parent.map_or(0, |tip| tip.depth + 1),
        };
        let (turn, ordinal) = run.unzip();
        self.node.execute(params![
            tip.node,
            parent.map(|tip| tip.node),
            item,
            tip.bytes,
            tip.depth,
            turn,
            ordinal
        ])?;
        Ok(tip)
    }

    /// The id of the next event.
    pub(crate) fn next_event(&mut self) -> i64 {
        self.events += 1;
        self.events
    }

    /// Adds an event under `turn`.
    pub(crate) fn event(
        &mut self,
        id: i64,
        bot: &str,
        turn: Option<i64>,
        kind: &str,
        data: &str,
    ) -> rusqlite::Result<()> {
        self.event.execute(params![id, bot, turn, kind, data])?;
        Ok(())
    }

    /// Sets the cursor sequence to the last event there was, though it may be gone.
    pub(crate) fn close_events(&self) -> rusqlite::Result<()> {
        self.connection
            .execute("DELETE FROM sqlite_sequence WHERE name = 'events'", [])?;
        self.connection
            .execute("INSERT INTO sqlite_sequence VALUES('events', ?1)", [self.events])?;
        Ok(())
    }

    /// Adds a row of `turns`.
    pub(crate) fn turn(&mut self, row: &TurnRow<'_>) -> rusqlite::Result<()> {
        let spent = row.spent;
        self.turn.execute(params![
            row.number,
            row.bot,
            row.request,
            row.words,
            row.words_node,
            row.status,
            row.delivery,
            row.expected,
            row.workspace,
            row.model,
            row.reasoning,
            row.inherited,
            row.from.map(|from| &from.0),
            row.from.map(|from| from.1),
            row.from.map(|from| from.2),
            row.origin,
            row.quotes,
            row.pictures,
            row.waiting,
            spent.rounds,
            spent.view_sent,
            spent.input,
            spent.output,
            spent.cached,
            spent.retries,
            spent.paced_ms,
            row.started_ms,
            row.finished_ms,
        ])?;
        Ok(())
    }

    /// Says that a submission still owns records.
    pub(crate) fn retained(&mut self, number: i64, bot: &str) -> rusqlite::Result<()> {
        self.retained.execute(params![number, bot])?;
        Ok(())
    }

    /// Adds a tool call of a run.
    pub(crate) fn tool(&mut self, turn: i64, call_id: &str, status: &str) -> rusqlite::Result<()> {
        self.tool.execute(params![turn, call_id, status])?;
        Ok(())
    }

    /// Adds what a tool call printed.
    pub(crate) fn artifact(&mut self, turn: i64, call_id: &str, data: &[u8]) -> rusqlite::Result<()> {
        self.artifact
            .execute(params![turn, call_id, data, data.len() as i64])?;
        Ok(())
    }

    /// Says who sent the words of a node.
    pub(crate) fn sender(
        &mut self,
        node: i64,
        from: &(String, i64, i64),
        origin: Option<&str>,
    ) -> rusqlite::Result<()> {
        self.sender
            .execute(params![node, from.0, from.2, from.1, origin])?;
        Ok(())
    }

    /// Takes a submission's written records away as retention does; returns the last event that went.
    pub(crate) fn reclaim(&mut self, number: i64) -> rusqlite::Result<Option<i64>> {
        let last = self.last_event.query_row([number], |row| row.get(0))?;
        for statement in &mut self.reclaim {
            statement.execute([number])?;
        }
        Ok(last)
    }

    /// The largest node id so far.
    pub(crate) fn last_node(&self) -> i64 {
        self.nodes
    }
}

/// The end of a lineage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tip {
    pub(crate) node: i64,
    pub(crate) bytes: i64,
    pub(crate) depth: i64,
}
