//! A run starts: the message that opens it becomes its first item, and what is attached rides with it.

use rusqlite::Connection;
use serde::Serialize;

use super::LiveWriter;
use super::announce::{About, announce};
use super::host::{Host, has_free_slot};
use super::line;
use super::node::{self, Tip};
use super::take_in::{self, Run, Taken};
use crate::daemon::item;
use crate::daemon::refusal::Refusal;
use crate::daemon::resend::{From, resolved_words};
use crate::daemon::statement::Statement;
use crate::error::StoreError;

const FIRST: Statement = Statement::new(
    "start.first",
    "look for the oldest message that is ready",
    "SELECT m.number, m.words, n.item, m.bot, m.request_id, m.expected_turn, m.workspace, m.model, m.from_bot,
        m.from_turn, m.from_id, m.origin
    FROM messages m INDEXED BY messages_ready LEFT JOIN nodes n ON n.id = m.words_node AND length(m.words) = 0
    WHERE m.status = 'ready' ORDER BY m.number LIMIT 1",
)
.scanning("reads the first row of the index");
const TURN: Statement = Statement::new(
    "start.turn",
    "write a run",
    "INSERT INTO turns(id, bot, status, started_ms) VALUES (?1, ?2, 'running', ?3)",
);
const BOT: Statement = Statement::new(
    "start.bot",
    "set a bot to running",
    "UPDATE bots SET head = ?2, status = 'running', running_turn = ?3 WHERE name = ?1",
);

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[FIRST, TURN, BOT];

/// What became of the oldest message that was ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// It opened a run.
    Started {
        /// The bot's name.
        bot: String,
        /// The run, whose number is the message's.
        turn: i64,
    },
    /// It could not run when its place came; the next of its bot's line is ready.
    Failed {
        /// The bot's name.
        bot: String,
        /// The message.
        number: i64,
        /// Why.
        refusal: Refusal,
    },
}

impl LiveWriter {
    /// Starts the oldest message that is ready, whichever bot's it is; `None` if none is or no slot is free. Call it
    /// until it says so. Events `accepted`, or `turn_finished` with status `failed`.
    ///
    /// # Errors
    /// [`StoreError::WriterDead`], [`StoreError::Sqlite`].
    pub fn start_next(&mut self, now_ms: i64) -> Result<Option<Next>, StoreError> {
        let slots = self.slots;
        self.transact(|connection| {
            if !has_free_slot(connection, slots)? {
                return Ok(None);
            }
            let first = FIRST.first(connection, [], Ready::read)?;
            first.map(|ready| ready.start(connection, now_ms)).transpose()
        })
    }
}

struct Ready {
    taken: Taken,
    bot: String,
    request_id: String,
    expected_turn: Option<i64>,
}

impl Ready {
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            taken: Taken {
                number: row.get(0)?,
                words: resolved_words(row, 1, 2)?.into_owned(),
                is_in_row: row.get_ref(1)?.as_bytes().is_ok_and(|words| !words.is_empty()),
                workspace: row.get(6)?,
                model: row.get(7)?,
                from_bot: row.get(8)?,
                from_turn: row.get(9)?,
                from_id: row.get(10)?,
                origin: row.get(11)?,
            },
            bot: row.get(3)?,
            request_id: row.get(4)?,
            expected_turn: row.get(5)?,
        })
    }

    fn start(self, connection: &Connection, now_ms: i64) -> Result<Next, StoreError> {
        let host = Host::find(connection, &self.bot)?;
        let number = self.taken.number;
        if let Some(refusal) = self.refusal(&host) {
            line::fail(connection, host.name, number, refusal, now_ms)?;
            line::promote(connection, host.name, now_ms)?;
            let bot = self.bot;
            return Ok(Next::Failed { bot, number, refusal });
        }
        let opening = Opening {
            number,
            request_id: &self.request_id,
            words: &String::from_utf8_lossy(&self.taken.words),
            sender: self.taken.sender(),
        };
        let tip = first_node(connection, &host, &opening)?;
        let workspace = self.taken.workspace.as_deref().or(host.workspace.as_deref());
        let model = self.taken.model.as_deref().or(Some(&host.model));
        let run = run(&host, &opening, workspace, model);
        take_in::mark_taken(connection, &run, &self.taken, tip.node, now_ms)?;
        go(connection, &run, &opening, tip, now_ms)?;
        Ok(Next::Started {
            bot: self.bot,
            turn: number,
        })
    }

    fn refusal(&self, host: &Host<'_>) -> Option<Refusal> {
        let has_folder = self.taken.workspace.is_some() || host.workspace.is_some();
        match self.expected_turn {
            Some(_) => Some(Refusal::StaleTurn),
            None if host.is_exhausted => Some(Refusal::BudgetExhausted),
            None => (!has_folder).then_some(Refusal::WorkspaceRequired),
        }
    }
}

/// The message that opens a run.
pub(super) struct Opening<'a> {
    pub(super) number: i64,
    pub(super) request_id: &'a str,
    pub(super) words: &'a str,
    pub(super) sender: From<'a>,
}

/// Writes the first item of a run below its bot's head.
pub(super) fn first_node(
    connection: &Connection,
    host: &Host<'_>,
    opening: &Opening<'_>,
) -> Result<Tip, StoreError> {
    let ordinal = node::next_ordinal(connection, host.name, host.head)?;
    let item = item::user(&host.family, opening.words);
    let parent = Tip::of(connection, host.head)?;
    let tip = node::append(connection, parent, &item, Some((opening.number, ordinal)))?;
    node::sender(connection, tip.node, opening.sender)?;
    Ok(tip)
}

/// The run that a message opens, with the folder and the model that it runs in.
pub(super) fn run<'a>(
    host: &'a Host<'_>,
    opening: &Opening<'_>,
    workspace: Option<&'a str>,
    model: Option<&'a str>,
) -> Run<'a> {
    Run {
        turn: opening.number,
        bot: host.name,
        family: &host.family,
        workspace,
        model,
    }
}

/// Writes the run of a message that is written as taken, and takes in what is attached.
pub(super) fn go(
    connection: &Connection,
    run: &Run<'_>,
    opening: &Opening<'_>,
    first: Tip,
    now_ms: i64,
) -> Result<(), StoreError> {
    TURN.execute(connection, (run.turn, run.bot, now_ms))?;
    let data = Accepted {
        request_id: opening.request_id,
        node: first.node,
        from: opening.sender.bot,
        origin: opening.sender.origin,
    };
    announce(connection, About::run(run.bot, run.turn), "accepted", &data)?;
    let attached = take_in::batch(connection, run, run.turn)?;
    let tip = take_in::take(connection, run, Some(first), &attached, now_ms)?;
    BOT.execute(connection, (run.bot, tip.map(|tip| tip.node), run.turn))?;
    Ok(())
}

#[derive(Serialize)]
struct Accepted<'a> {
    request_id: &'a str,
    node: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'a str>,
}
