//! Why an operation on a live store is not done. Nothing is written when one of these comes back.

/// What stands against an operation; the word before the colon is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// No bot has that name, or it is being deleted.
    #[error("bot_not_found: no bot has that name")]
    BotNotFound,
    /// The name is taken.
    #[error("bot_exists: a bot has that name")]
    BotExists,
    /// A name without a character cannot be part of a handle.
    #[error("bot_name_empty: a bot needs a name")]
    BotNameEmpty,
    /// The bot has work, and the delivery is `reject`.
    #[error("bot_busy: the bot has work, and delivery reject does not wait")]
    BotBusy,
    /// The run that a strict steer is for is not the one that is going.
    #[error("stale_turn: the run that it is for is not going")]
    StaleTurn,
    /// No slot is free, and the delivery is `reject`.
    #[error("active_agent_limit: no slot is free, and delivery reject does not wait")]
    ActiveAgentLimit,
    /// The bot has used up its tokens.
    #[error("budget_exhausted: the bot has used up its tokens")]
    BudgetExhausted,
    /// Neither the message nor its bot names a folder.
    #[error("workspace_required: neither the message nor its bot names a folder")]
    WorkspaceRequired,
    /// A delivery that is not `reject`, `queue`, `steer` or `attach`.
    #[error("delivery_unknown: not reject, queue, steer or attach")]
    DeliveryUnknown,
    /// A run is expected by something else than a steer.
    #[error("expected_turn_misplaced: only a steer can be for one run alone")]
    ExpectedTurnMisplaced,
    /// The words are not UTF-8, so they cannot become an item.
    #[error("words_not_text: the words are not UTF-8")]
    WordsNotText,
    /// The bot has no message of that number.
    #[error("message_not_found: the bot has no message of that number")]
    MessageNotFound,
    /// The message has left the line.
    #[error("message_not_in_line: the message has left the line")]
    MessageNotInLine,
    /// The words of the message cannot be read from its node.
    #[error("words_unreadable: the node of the message does not say its words")]
    WordsUnreadable,
    /// There is no run of that number.
    #[error("turn_not_found: there is no run of that number")]
    TurnNotFound,
    /// The run is not in the state that the operation needs.
    #[error("turn_state: the run is {found}, which does not allow this")]
    TurnState {
        /// Its status.
        found: &'static str,
    },
    /// A text that is neither `BOT/N` nor `proc:N`.
    #[error("handle_unknown: a handle is BOT/N or proc:N")]
    HandleUnknown,
    /// What a parked run waits for is no JSON of the known form.
    #[error("waiting_unreadable: what the run waits for cannot be read")]
    WaitingUnreadable,
    /// The node is neither the head of the bot nor one of its checkpoints.
    #[error("checkpoint_not_found: the node is neither the bot's head nor one of its checkpoints")]
    CheckpointNotFound,
}

impl Refusal {
    /// The word before the colon, which events carry.
    pub fn code(self) -> String {
        let mut line = self.to_string();
        line.truncate(line.find(':').unwrap_or(line.len()));
        line
    }

    /// The one thing to do next, where there is one.
    pub fn hint(self) -> Option<&'static str> {
        match self {
            Self::BotNotFound => Some("list the bots, or create it"),
            Self::BotExists => Some("choose another name, or delete that bot first"),
            Self::BotNameEmpty => Some("give the bot a name of at least one character"),
            Self::BotBusy => Some("send it with delivery queue or steer, or wait until the bot is idle"),
            Self::StaleTurn => Some("send it without an expected turn, or name the run that is going"),
            Self::ActiveAgentLimit => Some("send it with delivery queue, or allow more slots"),
            Self::BudgetExhausted => Some("raise the bot's budget"),
            Self::WorkspaceRequired => Some("name a folder in the message"),
            Self::DeliveryUnknown => Some("use one of those four"),
            Self::ExpectedTurnMisplaced => Some("leave the expected turn out, or steer"),
            Self::WordsNotText => Some("send the bytes as a picture or a file"),
            Self::MessageNotFound => Some("list the bot's messages"),
            Self::HandleUnknown => Some("copy the handle as a list of messages shows it"),
            Self::WaitingUnreadable => Some("resume the run, or interrupt it"),
            Self::TurnNotFound => Some("list the bot's turns"),
            Self::CheckpointNotFound => Some("fork at the head, or list the bot's turns"),
            Self::MessageNotInLine | Self::WordsUnreadable | Self::TurnState { .. } => None,
        }
    }
}
