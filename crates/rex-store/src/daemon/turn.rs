//! Rows of `turns`: submissions at version 90, runs at version 91.

use super::row::{Text, row, words};

words! {
    /// The status of a submission at version 90.
    Status90 {
        /// Waits behind the bot's work.
        Queued = "queued",
        /// Waits to ride with the next run.
        Attached = "attached",
        /// Head of an idle bot's line, waits for a slot.
        Ready = "ready",
        /// A run that is going.
        Running = "running",
        /// A run that is parked on handles.
        Waiting = "waiting",
        /// A run that is parked on a closed provider pool.
        Paced = "paced",
        /// Taken into a running turn.
        Steered = "steered",
        /// A run that ended well.
        Completed = "completed",
        /// A run that failed, or a submission that never ran.
        Failed = "failed",
        /// A run that was interrupted, or a submission that was cancelled in line.
        Interrupted = "interrupted",
    }
}

words! {
    /// The status of a run at version 91.
    RunStatus {
        /// Going.
        Running = "running",
        /// Parked on handles.
        Waiting = "waiting",
        /// Parked on a closed provider pool.
        Paced = "paced",
        /// Ended well.
        Completed = "completed",
        /// Ended with an error.
        Failed = "failed",
        /// Was interrupted.
        Interrupted = "interrupted",
    }
}

row! {
    /// A submission at version 90, run or not.
    Turn90 in "turns" by "id" {
        /// The N of `turn:BOT/N`.
        id: i64,
        /// The bot's name.
        bot: Text,
        /// Unique per bot.
        request_id: Text,
        /// The words; empty once a node holds them.
        prompt: Text,
        /// The node that holds the words.
        prompt_node: Option<i64>,
        /// Mostly a [`Status90`]; the column takes any text.
        status: Text,
        /// `reject`, `queue`, `steer` or `attach`.
        delivery: Text,
        /// A strict steer's run.
        expected_turn: Option<i64>,
        /// The folder asked for.
        workspace: Option<Text>,
        /// The model asked for.
        model: Option<Text>,
        /// The effort asked for.
        reasoning: Option<Text>,
        /// The effort taken over from the sender.
        inherited_reasoning: Option<Text>,
        /// The sending bot's name.
        from_bot: Option<Text>,
        /// The sending run.
        from_turn: Option<i64>,
        /// The sending bot's identity.
        from_id: Option<i64>,
        /// Where it came from.
        origin: Option<Text>,
        /// JSON list of quotes.
        quotes: Option<Text>,
        /// JSON list of pictures.
        pictures: Option<Text>,
        /// JSON, while parked.
        waiting: Option<Text>,
        /// Rounds with the model.
        model_rounds: i64,
        /// The view that was sent.
        view_sent: Option<i64>,
        /// Tokens in.
        input_tokens: i64,
        /// Tokens out.
        output_tokens: i64,
        /// Tokens in that were cached.
        cached_input_tokens: i64,
        /// Retries.
        retries: i64,
        /// Time spent paced.
        paced_ms: i64,
        /// Start of the run, Unix milliseconds.
        started_ms: Option<i64>,
        /// End of the run or of the wait in line, Unix milliseconds.
        finished_ms: Option<i64>,
    }
}

row! {
    /// A run at version 91.
    Turn in "turns" by "id" {
        /// The number of the message that opened it.
        id: i64,
        /// The bot's name.
        bot: Text,
        /// Where the run is.
        status: RunStatus,
        /// JSON, while parked.
        waiting: Option<Text>,
        /// Rounds with the model.
        model_rounds: i64,
        /// The view that was sent.
        view_sent: Option<i64>,
        /// Tokens in.
        input_tokens: i64,
        /// Tokens out.
        output_tokens: i64,
        /// Tokens in that were cached.
        cached_input_tokens: i64,
        /// Retries.
        retries: i64,
        /// Time spent paced.
        paced_ms: i64,
        /// Start, Unix milliseconds; `None` only for a run that an old crash left without it.
        started_ms: Option<i64>,
        /// End, Unix milliseconds.
        finished_ms: Option<i64>,
    }
}
