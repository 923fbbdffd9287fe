//! Rows of `events`, the durable stream that followers read.

use super::row::{Text, row};

row! {
    /// An event at version 90.
    Event90 in "events" by "id" {
        /// The cursor.
        id: i64,
        /// The bot's name.
        bot: Text,
        /// The run, or the submission that has not run; `None` for the bot's own.
        turn: Option<i64>,
        /// What happened.
        kind: Text,
        /// JSON object; never rewritten.
        data: Text,
    }
}

row! {
    /// An event at version 91.
    Event in "events" by "id" {
        /// The cursor.
        id: i64,
        /// The bot's name.
        bot: Text,
        /// The run; `None` for what happened in line and for the bot's own.
        turn: Option<i64>,
        /// What happened.
        kind: Text,
        /// JSON object; never rewritten.
        data: Text,
        /// The message the event is about.
        message: Option<i64>,
    }
}
