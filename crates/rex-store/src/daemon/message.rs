//! Rows of `messages`: what was sent to a bot, at version 91.

use super::row::{Text, row, words};

words! {
    /// The status of a message.
    MessageStatus {
        /// Waits behind the bot's work.
        Queued = "queued",
        /// Waits to ride with the next run.
        Attached = "attached",
        /// Head of an idle bot's line, waits for a slot.
        Ready = "ready",
        /// Opened a run or was taken into one.
        Taken = "taken",
        /// Cancelled in line.
        Withdrawn = "withdrawn",
        /// Could not run when its place in line came.
        Failed = "failed",
    }
}

row! {
    /// A message at version 91.
    Message in "messages" by "number" {
        /// The N of `BOT/N`.
        number: i64,
        /// The bot's name.
        bot: Text,
        /// Unique per bot.
        request_id: Text,
        /// The words; empty where a node alone holds them.
        words: Text,
        /// The node that holds the words.
        words_node: Option<i64>,
        /// JSON list of quotes.
        quotes: Option<Text>,
        /// JSON list of pictures.
        pictures: Option<Text>,
        /// The sending bot's name.
        from_bot: Option<Text>,
        /// The sending run.
        from_turn: Option<i64>,
        /// The sending bot's identity.
        from_id: Option<i64>,
        /// Where it came from.
        origin: Option<Text>,
        /// `reject`, `queue`, `steer` or `attach`.
        delivery: Text,
        /// A strict steer's run.
        expected_turn: Option<i64>,
        /// The folder asked for.
        workspace: Option<Text>,
        /// The model asked for.
        model: Option<Text>,
        /// The effort asked for.
        effort: Option<Text>,
        /// The effort taken over from the sender.
        inherited_effort: Option<Text>,
        /// Where it is.
        status: MessageStatus,
        /// The run that took it in, where known; its own number if it opened one.
        turn: Option<i64>,
        /// The item of the transcript it became, where known.
        node: Option<i64>,
        /// When it was sent, Unix milliseconds; `None` for what was sent before version 91.
        sent_ms: Option<i64>,
        /// When it was taken in.
        taken_ms: Option<i64>,
        /// When it left the line without being taken in.
        ended_ms: Option<i64>,
    }
}
