//! Bots come, fork, go, and leave their names to others.

use std::collections::HashSet;

use rusqlite::params;

use super::World;
use crate::generate::daemon::bot::Bot;
use crate::generate::daemon::items::quoted;
use crate::generate::daemon::rows::Tip;

const NAMES: [&str; 8] = [
    "scout",
    "builder",
    "reviewer",
    "archivist",
    "planner",
    "tester",
    "writer",
    "porter",
];
const ODD_NAMES: [&str; 10] = [
    "turn:x",
    "a/b",
    "proc:1",
    "my bot",
    "quo\"te",
    "\u{540d}\u{524d}",
    "Bob",
    "turn:Bob/7",
    "-",
    "a\\b",
];

impl World<'_, '_> {
    /// A new bot: a fork of another once the roots are there, else a fresh one.
    pub(super) fn create_bot(&mut self) -> rusqlite::Result<()> {
        self.last_bot += 1;
        self.created += 1;
        let name = self.free_name();
        let family = self.family();
        let mut bot = Bot::new(self.last_bot, name, family);
        if self.dice.chance(self.mix.from_bots)
            && let Some(first) = self.bots.first()
        {
            bot.created_by = Some((first.name.clone(), first.id));
        }
        let lives = self.mix.lives;
        let is_fork = self.created > lives.roots && self.dice.chance(lives.forks);
        match self.source().filter(|_| is_fork) {
            Some((source, tip)) => {
                let from = self.bot(source);
                bot.tip = Some(tip);
                bot.family = from.family;
                bot.ordinal = from.ordinal;
                bot.context_start = self.dice.chance(100).then_some(tip.node);
                let data = format!(
                    r#"{{"from":{},"node":{}}}"#,
                    quoted(&self.bot(source).name),
                    tip.node
                );
                self.bot_event(&bot.name, "forked", &data)?;
            }
            None => self.bot_event(&bot.name, "created", "{}")?,
        }
        self.bots.push(bot);
        Ok(())
    }

    /// A bot with a lineage, most often a young one, and a node at or above its head.
    fn source(&mut self) -> Option<(usize, Tip)> {
        let young = self.bots.len().min(20) as u64;
        let at = self.bots.len().checked_sub(1 + self.dice.below(young) as usize)?;
        let mut tip = self.bot(at).tip?;
        for _ in 0..self.dice.below(4) {
            let above = self
                .writer
                .connection
                .prepare_cached(
                    "SELECT above.id, above.total_bytes, above.depth FROM nodes
                       JOIN nodes AS above ON above.id = nodes.parent WHERE nodes.id = ?1",
                )
                .and_then(|mut statement| {
                    statement.query_row([tip.node], |row| {
                        Ok(Tip {
                            node: row.get(0)?,
                            bytes: row.get(1)?,
                            depth: row.get(2)?,
                        })
                    })
                });
            // The root has no parent: the fork starts there.
            let Ok(above) = above else { break };
            tip = above;
        }
        Some((at, tip))
    }

    fn free_name(&mut self) -> String {
        if self.dice.chance(self.mix.lives.recycled)
            && let Some(name) = self.freed_names.pop()
        {
            return name;
        }
        if self.dice.chance(self.mix.noise) {
            let name = *self.dice.pick(&ODD_NAMES);
            let is_taken =
                self.bots.iter().any(|bot| bot.name == name) || self.freed_names.iter().any(|n| n == name);
            if !is_taken {
                return name.to_owned();
            }
        }
        format!("{}-{}", self.dice.pick(&NAMES), self.last_bot)
    }

    /// Deletes bots when it is time.
    pub(super) fn end_lives(&mut self) -> rusqlite::Result<()> {
        let lives = self.mix.lives;
        if lives.drop_half_the_roots && !self.has_dropped_roots && self.rows * 2 >= self.mix.rows {
            self.has_dropped_roots = true;
            let roots = lives.roots as i64;
            let doomed: Vec<i64> = self
                .bots
                .iter()
                .map(|bot| bot.id)
                .filter(|id| *id <= roots && id % 2 == 1)
                .collect();
            for id in doomed {
                self.delete_bot(id)?;
            }
        }
        // Bots may go as often as there are bots, lest the store never fills.
        let may_go = self.bots.len() > 1 && self.freed < self.mix.bots;
        if may_go && self.dice.chance(lives.deletions) {
            let at = self.dice.below(self.bots.len() as u64) as usize;
            self.delete_bot(self.bot(at).id)?;
        }
        Ok(())
    }

    /// Deletes a bot's rows, and its own nodes as far as no other lineage uses them.
    fn delete_bot(&mut self, id: i64) -> rusqlite::Result<()> {
        let Some(at) = self.bots.iter().position(|bot| bot.id == id) else {
            return Ok(());
        };
        let bot = self.bots.remove(at);
        let connection = self.writer.connection;
        for table in ["tools", "processes", "artifacts", "approvals"] {
            let sql = format!("DELETE FROM {table} WHERE turn IN (SELECT id FROM turns WHERE bot = ?1)");
            connection.prepare_cached(&sql)?.execute([&bot.name])?;
            // A run that has not ended has no row yet.
            let run = bot.run.as_ref().map(|run| run.sent.number);
            connection
                .prepare_cached(&format!("DELETE FROM {table} WHERE turn = ?1"))?
                .execute([run])?;
        }
        for table in ["turns", "events"] {
            connection
                .prepare_cached(&format!("DELETE FROM {table} WHERE bot = ?1"))?
                .execute([&bot.name])?;
        }
        self.delete_nodes(bot.tip)?;
        let request = self.dice.chance(500).then(|| format!("delete-{id}"));
        connection.execute(
            "INSERT INTO deleted_bots VALUES(?1,?2,?3)",
            params![id, bot.name, request],
        )?;
        let before = self.truth.messages.len();
        self.truth.forget_bot(id);
        self.rows -= (before - self.truth.messages.len()) as u64;
        self.freed += 1;
        self.freed_names.push(bot.name);
        Ok(())
    }

    fn delete_nodes(&mut self, tip: Option<Tip>) -> rusqlite::Result<()> {
        let used: HashSet<i64> = self
            .bots
            .iter()
            .flat_map(|bot| [bot.tip.map(|tip| tip.node), bot.context_start])
            .flatten()
            .collect();
        let connection = self.writer.connection;
        let mut next = tip.map(|tip| tip.node);
        while let Some(node) = next.filter(|node| !used.contains(node)) {
            let has_children: bool = connection
                .prepare_cached("SELECT EXISTS(SELECT 1 FROM nodes WHERE parent = ?1)")?
                .query_row([node], |row| row.get(0))?;
            if has_children {
                break;
            }
            next = connection
                .prepare_cached("SELECT parent FROM nodes WHERE id = ?1")?
                .query_row([node], |row| row.get(0))?;
            connection
                .prepare_cached("DELETE FROM senders WHERE node = ?1")?
                .execute([node])?;
            connection
                .prepare_cached("DELETE FROM nodes WHERE id = ?1")?
                .execute([node])?;
        }
        Ok(())
    }

    /// A call that leaves a process, or one that had to be approved.
    pub(super) fn call_extra(&mut self, at: usize, run: i64, call_id: &str) -> rusqlite::Result<()> {
        let connection = self.writer.connection;
        if self.dice.chance(500) {
            let status = *self.dice.pick(&["running", "finished", "finished", "lost"]);
            let result =
                (status == "finished").then_some(r#"{"exit_status":0,"output":"turn:Bob/1 is done"}"#);
            connection
                .prepare_cached(
                    "INSERT INTO processes(turn,call_id,status,result,delivered) VALUES(?1,?2,?3,?4,?5)",
                )?
                .execute(params![run, call_id, status, result, result.is_some()])?;
        } else {
            let announced_ms = self.time(at);
            connection
                .prepare_cached(
                    "INSERT INTO approvals(turn,call_id,name,arguments,verdicts,announced_ms) \
                     VALUES(?1,?2,'shell','{\"cmd\":\"rm\"}','[\"allow\"]',?3)",
                )?
                .execute(params![run, call_id, announced_ms])?;
        }
        Ok(())
    }
}
