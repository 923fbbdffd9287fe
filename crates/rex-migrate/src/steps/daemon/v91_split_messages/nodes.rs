//! Nodes that are known: one claim per message, and a node goes to its strongest claim or to nobody.

use super::attribute::{Attribution, rank};
use super::{Doing as _, StepError};

/// The claims on one node so far.
#[derive(Clone, Copy, Debug)]
struct Contest {
    node: i64,
    rank: i64,
    number: i64,
    /// Another message claims it as strongly.
    is_tied: bool,
}

impl Attribution<'_> {
    /// Gives every claimed node away.
    pub(super) fn claims(&mut self) -> Result<(), StepError> {
        let connection = self.connection;
        // A run without a node of its own claims like the others, by the node of its words.
        let unmarked = format!(
            "INSERT INTO temp.split_taken(number, turn, turn_rule, claim, claim_rank, words)
             SELECT u.id, u.id, 'own', iif(n.turn IS NULL, n.id, NULL), {}, x'' FROM ({}) u
             LEFT JOIN nodes n ON n.id = u.node",
            rank::PROMPT_NODE,
            self.dialect.unmarked
        );
        connection.execute(&unmarked, []).doing("claim nodes")?;
        let mut claims = connection
            .prepare(
                "SELECT claim, claim_rank, number FROM temp.split_taken WHERE claim IS NOT NULL
                 ORDER BY claim, claim_rank, number",
            )
            .doing("claim nodes")?;
        let mut rows = claims.query([]).doing("claim nodes")?;
        let mut contest: Option<Contest> = None;
        while let Some(row) = rows.next().doing("claim nodes")? {
            let (node, rank, number) = row.try_into().doing("claim nodes")?;
            match &mut contest {
                Some(open) if open.node == node => {
                    open.is_tied |= open.rank == rank;
                    self.lost(number, node, open.number);
                }
                _ => {
                    self.decide(contest)?;
                    contest = Some(Contest {
                        node,
                        rank,
                        number,
                        is_tied: false,
                    });
                }
            }
        }
        self.decide(contest)
    }

    fn decide(&mut self, contest: Option<Contest>) -> Result<(), StepError> {
        let Some(Contest {
            node,
            rank,
            number,
            is_tied,
        }) = contest
        else {
            return Ok(());
        };
        let owner = (!is_tied).then_some(number);
        self.connection
            .prepare_cached("INSERT INTO temp.split_given VALUES (?1, ?2)")
            .and_then(|mut statement| statement.execute((node, owner)))
            .doing("give nodes away")?;
        if is_tied {
            self.trail.no_node(number, || {
                format!("another message claims node {node} as strongly")
            });
            return Ok(());
        }
        let rule = if rank == rank::EVENT {
            "event"
        } else {
            "prompt_node"
        };
        self.give(number, node, rule)
    }

    fn lost(&mut self, number: i64, node: i64, to: i64) {
        self.trail.no_node(number, || {
            format!("message {to} claims node {node} at least as strongly")
        });
    }

    /// Writes down which node a message became.
    pub(super) fn give(&self, number: i64, node: i64, rule: &str) -> Result<(), StepError> {
        self.connection
            .prepare_cached("UPDATE temp.split_taken SET node = ?2, node_rule = ?3 WHERE number = ?1")
            .and_then(|mut statement| statement.execute((number, node, rule)))
            .doing("give nodes away")
            .map(|_| ())
    }
}
