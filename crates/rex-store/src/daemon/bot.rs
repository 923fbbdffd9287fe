//! Rows of `bots`; the same at both versions.

use super::row::{Text, row};

row! {
    /// A bot.
    Bot in "bots" by "name" {
        /// The name by which everything refers to it; can be taken again after a deletion.
        name: Text,
        /// Its identity, never used again.
        id: i64,
        /// The newest node of its transcript.
        head: Option<i64>,
        /// Its folder.
        workspace: Option<Text>,
        /// `idle`, `running`, `waiting`, `paced`, `completed`, `failed`, `interrupted` or `deleting`.
        status: Text,
        /// The run that is going.
        running_turn: Option<i64>,
        /// The provider.
        provider: Text,
        /// The provider's family.
        family: Text,
        /// The model.
        model: Text,
        /// The instructions.
        instructions: Text,
        /// The effort.
        reasoning: Option<Text>,
        /// JSON list.
        tools: Text,
        /// Tokens it may use.
        budget_tokens: Option<i64>,
        /// Tokens it has used.
        tokens_used: i64,
        /// Tokens in.
        input_tokens: i64,
        /// Tokens in that were cached.
        cached_input_tokens: i64,
        /// The bot that created it, by name.
        created_by: Option<Text>,
        /// The bot that created it, by identity.
        created_by_id: Option<i64>,
        /// Where its context begins.
        context_start: Option<i64>,
        /// The newest of its events that retention took.
        pruned_cursor: i64,
    }
}
