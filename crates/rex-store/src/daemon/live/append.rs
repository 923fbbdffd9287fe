//! A round with the model: its items join the lineage, and what it cost is counted.

use serde::Serialize;

use super::LiveWriter;
use super::announce::{About, announce};
use super::node::{self, Tip};
use super::take_in::Going;
use crate::daemon::statement::Statement;
use crate::error::StoreError;

const TURN: Statement = Statement::new(
    "append.turn",
    "count a round of a run",
    "UPDATE turns SET model_rounds = model_rounds + 1, input_tokens = input_tokens + ?2,
        output_tokens = output_tokens + ?3, cached_input_tokens = cached_input_tokens + ?4 WHERE id = ?1",
);
const BOT: Statement = Statement::new(
    "append.bot",
    "count a round of a bot",
    "UPDATE bots SET head = ?2, tokens_used = tokens_used + ?3 + ?4, input_tokens = input_tokens + ?3,
        cached_input_tokens = cached_input_tokens + ?5 WHERE name = ?1",
);

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[TURN, BOT];

/// What one round with the model gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round<'a> {
    /// The provider's JSON items, in order.
    pub items: &'a [&'a [u8]],
    /// Tokens in.
    pub input_tokens: i64,
    /// Tokens out.
    pub output_tokens: i64,
    /// Tokens in that were cached.
    pub cached_input_tokens: i64,
}

impl LiveWriter {
    /// Appends a round to a running run and returns the new head. Events `message` for each item and `usage`.
    ///
    /// # Errors
    /// [`StoreError::Refused`] with [`Refusal::TurnNotFound`](crate::daemon::Refusal::TurnNotFound) or
    /// [`Refusal::TurnState`](crate::daemon::Refusal::TurnState), [`StoreError::WriterDead`],
    /// [`StoreError::Sqlite`].
    pub fn append(&mut self, turn: i64, round: &Round<'_>) -> Result<Option<i64>, StoreError> {
        self.transact(|connection| {
            let going = Going::find(connection, turn)?;
            let about = About::run(&going.bot, turn);
            let mut tip = Tip::of(connection, going.head)?;
            for item in round.items {
                let below = node::append(connection, tip, item, None)?;
                announce(connection, about, "message", &Appended { node: below.node })?;
                tip = Some(below);
            }
            let (input, output, cached) =
                (round.input_tokens, round.output_tokens, round.cached_input_tokens);
            TURN.execute(connection, (turn, input, output, cached))?;
            let head = tip.map(|tip| tip.node);
            BOT.execute(connection, (&going.bot, head, input, output, cached))?;
            let usage = Usage {
                input,
                output,
                cached,
            };
            announce(connection, about, "usage", &usage)?;
            Ok(head)
        })
    }
}

#[derive(Serialize)]
struct Appended {
    node: i64,
}

#[derive(Serialize)]
struct Usage {
    #[serde(rename = "input_tokens")]
    input: i64,
    #[serde(rename = "output_tokens")]
    output: i64,
    #[serde(rename = "cached_input_tokens")]
    cached: i64,
}
