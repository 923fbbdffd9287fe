//! A fork: a new bot on the lineage of another, of which nothing is copied.

use serde::Serialize;

use super::LiveWriter;
use super::announce::{About, announce};
use super::create_bot::next_identity;
use super::host::Host;
use crate::daemon::refusal::Refusal;
use crate::daemon::statement::Statement;
use crate::error::StoreError;

const CHECKPOINT: Statement = Statement::new(
    "fork.checkpoint",
    "look a checkpoint up",
    "SELECT 1 FROM checkpoints WHERE bot = ?1 AND head = ?2",
);
/// The fork's context begins where the source's does, unless the fork leaves the lineage above that.
const INSERT: Statement = Statement::new(
    "fork.insert",
    "write a fork",
    "INSERT INTO bots(name, id, head, status, workspace, provider, family, model, instructions, reasoning, tools,
        budget_tokens, created_by, created_by_id, context_start)
    SELECT ?1, ?2, ?3, 'idle', workspace, provider, family, model, instructions, reasoning, tools,
        budget_tokens, ?4, ?5,
        (SELECT c.id FROM nodes c, nodes n WHERE c.id = b.context_start AND n.id = ?3 AND c.depth <= n.depth)
    FROM bots b WHERE name = ?6",
);

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[CHECKPOINT, INSERT];

/// What a fork is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewFork<'a> {
    /// Its name, not empty.
    pub name: &'a str,
    /// The bot whose lineage and settings it starts with.
    pub source: &'a str,
    /// The node after which it goes its own way: a checkpoint of the source, or its head; omitted, its head as it
    /// is now.
    pub node: Option<i64>,
    /// The bot that creates it: name and identity.
    pub created_by: Option<(&'a str, i64)>,
}

impl LiveWriter {
    /// Forks a bot and returns the new bot's identity. It has the source's settings, none of its messages, and has
    /// used no tokens. Event `forked`.
    ///
    /// # Errors
    /// [`StoreError::Refused`] with [`Refusal::BotNotFound`], [`Refusal::BotExists`], [`Refusal::BotNameEmpty`] or
    /// [`Refusal::CheckpointNotFound`]; [`StoreError::SequenceExhausted`], [`StoreError::WriterDead`],
    /// [`StoreError::Sqlite`].
    pub fn fork(&mut self, fork: &NewFork<'_>) -> Result<i64, StoreError> {
        self.transact(|connection| {
            let head = Host::find(connection, fork.source)?.head;
            if let Some(node) = fork.node.filter(|node| head != Some(*node)) {
                let found = CHECKPOINT.first(connection, (fork.source, node), |_| Ok(()))?;
                found.ok_or(Refusal::CheckpointNotFound)?;
            }
            let node = fork.node.or(head);
            let id = next_identity(connection, fork.name)?;
            let ((creator, creator_id), from) = (fork.created_by.unzip(), fork.source);
            INSERT.execute(connection, (fork.name, id, node, creator, creator_id, from))?;
            announce(
                connection,
                About::bot(fork.name),
                "forked",
                &Forked { from, node },
            )?;
            Ok(id)
        })
    }
}

#[derive(Serialize)]
struct Forked<'a> {
    from: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<i64>,
}
