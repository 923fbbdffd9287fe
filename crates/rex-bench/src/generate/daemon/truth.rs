//! What the model knows and the store may have lost: which run took each message in, and which node it became.

use std::collections::HashSet;
use std::io::{self, Write};

use serde::Serialize;

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It opened a run.
    Opened,
    /// A run took it in.
    Taken,
    /// It was cancelled in line.
    Withdrawn,
    /// It failed in line.
    Failed,
    /// It is still in line.
    InLine,
}

/// The truth about one message that still has a row.
#[derive(Clone, Debug, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each kind of evidence survives or not, apart from the others"
)]
pub struct Message {
    /// Its number.
    pub number: i64,
    /// `bots.id` of its bot.
    pub bot: i64,
    /// What became of it.
    pub fate: Fate,
    /// The run that took it in; its own number if it opened one.
    pub run: Option<i64>,
    /// The node it became.
    pub node: Option<i64>,
    /// When it was taken in, in Unix milliseconds of the bot's clock, as the model ran it.
    pub taken_ms: Option<i64>,
    /// The run's own `steered` event survives and can be read.
    pub a: bool,
    /// Its own `turn_finished` event survives and can be read.
    pub b: bool,
    /// Its node is known from its row.
    pub c: bool,
    /// Two events of one kind, both fitting, name two runs: no run may be named.
    pub is_contradicted: bool,
    /// A surviving event that names its run, or its row, names its node.
    pub is_node_known: bool,
    #[serde(skip)]
    pub(crate) node_a: bool,
    #[serde(skip)]
    pub(crate) node_b: bool,
    #[serde(skip)]
    pub(crate) is_reclaimed: bool,
}

/// The truth about a store.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Truth {
    /// Every row of `turns`, by number.
    pub messages: Vec<Message>,
    /// `bots.id` of bots whose clock stepped back so that the order of their own times shows it.
    pub stepped: Vec<i64>,
    /// `bots.id` of bots whose clock stepped back without a trace.
    pub hidden: Vec<i64>,
}

impl Truth {
    /// The truth about a number.
    pub fn message(&self, number: i64) -> Option<&Message> {
        let at = self
            .messages
            .binary_search_by_key(&number, |message| message.number)
            .ok()?;
        self.messages.get(at)
    }

    pub(crate) fn message_mut(&mut self, number: i64) -> Option<&mut Message> {
        let at = self
            .messages
            .binary_search_by_key(&number, |message| message.number)
            .ok()?;
        self.messages.get_mut(at)
    }

    pub(crate) fn add(&mut self, number: i64, bot: i64) {
        self.messages.push(Message {
            number,
            bot,
            fate: Fate::InLine,
            run: None,
            node: None,
            taken_ms: None,
            a: false,
            b: false,
            c: false,
            is_contradicted: false,
            is_node_known: false,
            node_a: false,
            node_b: false,
            is_reclaimed: false,
        });
    }

    pub(crate) fn forget_bot(&mut self, bot: i64) {
        self.messages.retain(|message| message.bot != bot);
    }

    /// Settles what evidence survives, once nothing more is taken away.
    pub(crate) fn settle(&mut self) {
        let reclaimed: HashSet<i64> = self
            .messages
            .iter()
            .filter(|message| message.is_reclaimed)
            .map(|message| message.number)
            .collect();
        for message in &mut self.messages {
            message.a &= message.run.is_some_and(|run| !reclaimed.contains(&run));
            message.b &= !message.is_reclaimed;
            message.is_contradicted &= !message.is_reclaimed;
            let by_a = message.a && message.node_a;
            let by_b = message.b && message.node_b && !message.is_contradicted;
            message.is_node_known = message.fate == Fate::Opened || by_a || by_b || message.c;
        }
    }

    /// Writes one JSON document, a message a line.
    ///
    /// # Errors
    /// What writing to `out` gives.
    pub fn write(&self, seed: u64, shape: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            r#"{{"schema":"rex-bench.truth/1","shape":"{shape}","seed":{seed},"stepped":{},"hidden":{},"messages":["#,
            serde_json::to_string(&self.stepped)?,
            serde_json::to_string(&self.hidden)?,
        )?;
        for (at, message) in self.messages.iter().enumerate() {
            let comma = if at + 1 == self.messages.len() { "" } else { "," };
            writeln!(out, "{}{comma}", serde_json::to_string(message)?)?;
        }
        writeln!(out, "]}}")
    }
}
