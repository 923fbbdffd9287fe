//! Nodes that only their words name: given when they are unique among the messages and among the items of a run.

use std::collections::HashMap;

use rex_store::daemon::item;
use rusqlite::types::ValueRef;
use rusqlite::{CachedStatement, OptionalExtension as _};

use super::attribute::Attribution;
use super::old::{WordsHash, hash_words};
use super::{Doing as _, StepError};

/// Who has the same words in one run.
#[derive(Clone, Copy, Debug, Default)]
struct Same {
    messages: u32,
    message: i64,
    items: u32,
    /// The item, if it may be given.
    node: Option<i64>,
}

/// One run's messages without a node, by their words.
#[derive(Debug, Default)]
struct Wanting {
    run: i64,
    by_words: HashMap<WordsHash, Same>,
}

struct Lookups<'c> {
    first: CachedStatement<'c>,
    children: CachedStatement<'c>,
    given: CachedStatement<'c>,
    words: CachedStatement<'c>,
}

impl Attribution<'_> {
    /// Gives items to messages by their words, run by run, in one pass.
    pub(super) fn words(&mut self) -> Result<(), StepError> {
        let connection = self.connection;
        let doing = "match words";
        let mut lookups = Lookups {
            first: connection
                .prepare_cached(
                    "SELECT coalesce((SELECT id FROM nodes WHERE turn = ?1),
                                     (SELECT node FROM temp.split_taken WHERE number = ?1))",
                )
                .doing(doing)?,
            children: connection.prepare_cached(self.dialect.children).doing(doing)?,
            given: connection.prepare_cached("SELECT number FROM temp.split_given WHERE node = ?1").doing(doing)?,
            words: connection
                .prepare_cached(
                    "SELECT n.item FROM temp.split_taken x JOIN nodes n ON n.id = x.claim WHERE x.number = ?1",
                )
                .doing(doing)?,
        };
        // The rows are sorted before the first is read, so that what is given does not disturb them.
        let mut statement = connection
            .prepare(
                "SELECT turn, number, words FROM temp.split_taken
                 WHERE turn IS NOT NULL AND node IS NULL AND turn <> number ORDER BY turn, number",
            )
            .doing(doing)?;
        let mut rows = statement.query([]).doing(doing)?;
        let mut wanting = Wanting::default();
        while let Some(row) = rows.next().doing(doing)? {
            let (run, number, mut words): (i64, i64, WordsHash) = row.try_into().doing(doing)?;
            if run != wanting.run {
                self.match_run(&wanting, &mut lookups)?;
                wanting.by_words.clear();
                wanting.run = run;
            }
            if words == WordsHash::default() {
                let Some(found) = lookups.words_in_node(number)? else {
                    self.trail
                        .no_node(number, || "its words are nowhere to be read".to_owned());
                    continue;
                };
                words = found;
            }
            let same = wanting.by_words.entry(words).or_default();
            same.messages += 1;
            same.message = number;
        }
        self.match_run(&wanting, &mut lookups)
    }

    fn match_run(&mut self, wanting: &Wanting, lookups: &mut Lookups<'_>) -> Result<(), StepError> {
        if wanting.by_words.is_empty() {
            return Ok(());
        }
        let mut by_words = wanting.by_words.clone();
        lookups.count_items(wanting.run, &mut by_words)?;
        for same in by_words.values() {
            match *same {
                Same {
                    messages: 1,
                    message,
                    items: 1,
                    node: Some(node),
                } => {
                    self.give(message, node, "words")?;
                    self.trail.note(
                        message,
                        ("nodes", node, "item"),
                        || node.into(),
                        || {
                            format!(
                                "the only item of run {} with these words, and the only message",
                                wanting.run
                            )
                        },
                    );
                }
                Same {
                    messages,
                    message,
                    items,
                    ..
                } => self.trail.no_node(message, || {
                    format!(
                        "run {} has {items} items and {messages} messages without a node with these words",
                        wanting.run
                    )
                }),
            }
        }
        Ok(())
    }
}

impl Lookups<'_> {
    fn words_in_node(&mut self, number: i64) -> Result<Option<WordsHash>, StepError> {
        self.words
            .query_row([number], |row| Ok(words_of(row.get_ref(0)?)))
            .optional()
            .doing("match words")
            .map(Option::flatten)
    }

    /// Walks the run's part of the tree, whatever head leads there.
    fn count_items(&mut self, run: i64, by_words: &mut HashMap<WordsHash, Same>) -> Result<(), StepError> {
        let doing = "match words";
        let first: Option<i64> = self.first.query_row([run], |row| row.get(0)).doing(doing)?;
        let mut open: Vec<i64> = first.into_iter().collect();
        while let Some(parent) = open.pop() {
            let mut rows = self.children.query((parent, run)).doing(doing)?;
            while let Some(row) = rows.next().doing(doing)? {
                let item = row.get_ref(1).doing(doing)?;
                let node: i64 = row.get(0).doing(doing)?;
                // A chain of parents may lead back to where the walk began.
                if item == ValueRef::Null || Some(node) == first {
                    continue;
                }
                open.push(node);
                let Some(same) = words_of(item).and_then(|words| by_words.get_mut(&words)) else {
                    continue;
                };
                let owner: Option<Option<i64>> = self
                    .given
                    .query_row([node], |row| row.get(0))
                    .optional()
                    .doing(doing)?;
                // One that several messages claim counts, but is nobody's.
                if !matches!(owner, Some(Some(_))) {
                    same.items += 1;
                    same.node = owner.is_none().then_some(node);
                }
            }
        }
        Ok(())
    }
}

fn words_of(item: ValueRef<'_>) -> Option<WordsHash> {
    let words = item::words(item.as_bytes().ok()?)?;
    Some(hash_words(words.as_bytes()))
}
