//! The verdict on each message: the first kind of evidence that answers wins, and a guess is never made.

use super::super::chain::{Chain, Owner};
use super::super::clock::{Clock, Run};
use super::super::few::Few;
use super::super::old::{Evidence, Group, Steer, WordsHash};
use super::super::{Doing as _, StepError};
use super::evidence::number as json;
use super::{Attribution, class, rank};

/// The run that the events name, if they agree within their kind.
pub(super) fn by_events(steer: &Steer) -> Option<i64> {
    let Evidence { run, .. } = if steer.by_steered.run == Few::NOTHING {
        steer.by_finished
    } else {
        steer.by_steered
    };
    run.one()
}

/// The run found, by its rule.
type Verdict = (Option<i64>, &'static str);

const NONE: Verdict = (None, "e");

impl Attribution<'_> {
    /// Says of each message of a group which run took it in and which node it claims.
    pub(super) fn judge(&mut self, group: &Group, chain: &mut Chain<'_>) -> Result<(), StepError> {
        let connection = self.connection;
        let mut insert = connection
            .prepare_cached(
                "INSERT INTO temp.split_taken(number, turn, turn_rule, claim, claim_rank, words)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )
            .doing("keep what was found out")?;
        let nobody = Clock::default();
        for steer in &group.steers {
            let clock = group.clocks.get(steer.bot as usize).unwrap_or(&nobody);
            let (turn, rule) = self.turn(steer, clock, chain)?;
            let claim = self.claim(steer, chain)?;
            let (claim, rank) = claim.unzip();
            let words: &WordsHash = &steer.words;
            insert
                .execute((steer.number, turn, rule, claim, rank, words))
                .doing("keep what was found out")?;
        }
        Ok(())
    }

    fn turn(&mut self, steer: &Steer, clock: &Clock, chain: &mut Chain<'_>) -> Result<Verdict, StepError> {
        let (steered, finished) = (steer.by_steered.run, steer.by_finished.run);
        let differ = steered != Few::NOTHING && finished != Few::NOTHING && steered != finished;
        if differ || steered == Few::SEVERAL || finished == Few::SEVERAL {
            self.report(class::DISAGREEMENTS, steer.number)?;
        }
        if let Some(run) = steered.one() {
            return Ok((Some(run), "a"));
        }
        if steered == Few::NOTHING
            && let Some(run) = finished.one()
        {
            return Ok((Some(run), "b"));
        }
        if steered == Few::SEVERAL || finished == Few::SEVERAL {
            self.trail.no_turn(steer.number, || {
                "its events of one kind name two different runs".to_owned()
            });
            return Ok(NONE);
        }
        if let Some(run) = self.by_chain(steer, clock, chain)? {
            return Ok((Some(run), "c"));
        }
        Ok(self.by_clock(steer, clock).map_or(NONE, |run| (Some(run), "d")))
    }

    /// (c): the run to which the node of its words belongs.
    fn by_chain(
        &mut self,
        steer: &Steer,
        clock: &Clock,
        chain: &mut Chain<'_>,
    ) -> Result<Option<i64>, StepError> {
        let Some(node) = steer.words_node.one() else {
            return Ok(None);
        };
        let owner = chain.owner(node)?;
        let number = steer.number;
        let (table, column) = self.dialect.words_node;
        let says = match owner {
            Owner::Nobody => "leads to no run".to_owned(),
            Owner::Itself => "is where a run begins, so it is not this message".to_owned(),
            Owner::Run { run, at } => format!("leads up to node {at}, where run {run} begins"),
        };
        self.trail.note(
            number,
            (table, number, column),
            || json(node),
            || format!("node {node} {says}"),
        );
        let Owner::Run { run, .. } = owner else {
            return Ok(None);
        };
        let fits =
            steer.claimant().may_be_in(run) && clock.run(run).is_some_and(|run| is_timely(steer, clock, run));
        if fits {
            return Ok(Some(run));
        }
        self.trail.note(
            number,
            ("turns", run, "id"),
            || json(run),
            || format!("{run} is no run of this bot that could have taken the message in then"),
        );
        self.report(class::DISAGREEMENTS, number)?;
        Ok(None)
    }

    /// (d): the only run that was going when the message was taken in.
    fn by_clock(&mut self, steer: &Steer, clock: &Clock) -> Option<i64> {
        let number = steer.number;
        let Some(taken_ms) = steer.taken_ms.one() else {
            self.trail.no_turn(number, || {
                "no event names a run, and when it was taken in is not known".to_owned()
            });
            return None;
        };
        if !clock.is_sound() {
            self.trail.no_turn(number, || {
                "no event names a run, and the times of this bot contradict each other".to_owned()
            });
            return None;
        }
        let (table, column) = self.dialect.taken_ms;
        let going = clock.candidates(&steer.claimant(), taken_ms);
        self.trail.note(
            number,
            (table, number, column),
            || json(taken_ms),
            || "taken in then".to_owned(),
        );
        for run in going {
            self.trail.note(
                number,
                ("turns", run.number, "started_ms"),
                || json(run.started_ms),
                || format!("run {} was going then", run.number),
            );
        }
        match going {
            [only] => Some(only.number),
            [] => {
                self.trail.no_turn(number, || {
                    "no event names a run, and none that fits was going then".to_owned()
                });
                None
            }
            [_, _, ..] => {
                self.trail.no_turn(number, || {
                    format!(
                        "no event names a run, and {} that fit were going then",
                        going.len()
                    )
                });
                None
            }
        }
    }

    /// The node that a message claims, and how strongly.
    fn claim(&mut self, steer: &Steer, chain: &mut Chain<'_>) -> Result<Option<(i64, i64)>, StepError> {
        let (steered, finished) = (steer.by_steered, steer.by_finished);
        let kinds: [Evidence; 2] = match (steered.run.one(), finished.run.one()) {
            (Some(run), Some(other)) if run == other => [steered, finished],
            (Some(_), _) => [steered, Evidence::default()],
            (None, Some(_)) if steered.run == Few::NOTHING => [finished, Evidence::default()],
            // No kind gave a run: none gives a node, but two nodes of one kind still forbid a claim.
            _ => [forbidding(steered), forbidding(finished)],
        };
        let named = kinds.iter().filter(|kind| kind.node != Few::NOTHING);
        let nodes: Vec<Few> = named.map(|kind| kind.node).collect();
        let is_contradicted =
            nodes.contains(&Few::SEVERAL) || matches!(nodes[..], [one, other] if one != other);
        if is_contradicted {
            self.report(class::DISAGREEMENTS, steer.number)?;
        }
        match nodes.first() {
            Some(node) if node.one().is_some() => Ok(node.one().map(|node| (node, rank::EVENT))),
            Some(_) => {
                self.trail.no_node(steer.number, || {
                    "its events of one kind name two different nodes".to_owned()
                });
                Ok(None)
            }
            None => match steer.words_node.one() {
                Some(node) if !chain.is_marked(node)? => Ok(Some((node, rank::PROMPT_NODE))),
                _ => Ok(None),
            },
        }
    }
}

fn forbidding(kind: Evidence) -> Evidence {
    if kind.node == Few::SEVERAL {
        kind
    } else {
        Evidence::default()
    }
}

/// In a bot whose clock is sound a message was taken in while its run was going.
fn is_timely(steer: &Steer, clock: &Clock, run: &Run) -> bool {
    !clock.is_sound()
        || steer
            .taken_ms
            .one()
            .is_none_or(|taken_ms| run.was_going_at(taken_ms))
}
