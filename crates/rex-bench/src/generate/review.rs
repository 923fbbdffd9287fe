//! A seeded review store: documents, comments in every lane, and the traffic of agents that use tools.

mod talk;
mod words;

use rex_store::review;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, params};

use self::talk::Talk;
use super::dice::Dice;

/// Which schema the store has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// Before lanes, gateways and stored sessions.
    G7,
    /// The newest.
    G13,
}

/// How large the store is.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Comments.
    pub threads: u64,
    /// Messages of all comments together.
    pub messages: u64,
    /// The schema.
    pub generation: Generation,
}

/// Fills an empty database with a review store. `progress` is told how many messages there are.
///
/// # Errors
/// SQLite's own.
pub fn generate(
    store: &Connection,
    sizes: &Sizes,
    seed: u64,
    progress: &mut dyn FnMut(u64),
) -> rusqlite::Result<()> {
    let create = match sizes.generation {
        Generation::G7 => review::create_7,
        Generation::G13 => review::create_13,
    };
    create(store).map_err(|error| rusqlite::Error::UserFunctionError(Box::new(error)))?;
    // The full-text index is made once at the end: row by row it would take most of the time.
    store.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    store.execute_batch("PRAGMA foreign_keys = OFF; BEGIN")?;
    let mut maker = Maker {
        store,
        sizes,
        dice: Dice::new(seed),
        talk: Talk::new(sizes.generation),
        written: 0,
    };
    maker.documents()?;
    for number in 0..sizes.threads {
        maker.thread(number)?;
        progress(maker.written);
    }
    store.execute_batch("INSERT INTO message_fts(message_fts) VALUES ('rebuild'); COMMIT")?;
    store.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, true)?;
    Ok(())
}

/// Comments on one document, and comments of one folder.
const THREADS_PER_DOCUMENT: u64 = 12;
const THREADS_PER_GROUP: u64 = 40;

/// Lanes by weight: of fourteen comments one is a draft, one a note, nine are open, two resolved, and one is gone.
const LANES: [u32; 5] = [1, 1, 9, 2, 1];

struct Maker<'a> {
    store: &'a Connection,
    sizes: &'a Sizes,
    dice: Dice,
    talk: Talk,
    written: u64,
}

impl Maker<'_> {
    fn documents(&mut self) -> rusqlite::Result<()> {
        let mut document = self
            .store
            .prepare("INSERT INTO document VALUES (?1, 'file', ?2, ?3, ?4, '2026-08-20T10:00:00.000Z')")?;
        for number in 0..=self.sizes.threads / THREADS_PER_DOCUMENT {
            let hash = format!("{}{}", self.dice.uuid(), self.dice.uuid()).replace('-', "");
            let (path, title) = (format!("/w/docs/{number}.md"), words::text(&mut self.dice, 24));
            document.execute(params![format!("d{number}"), path, title, hash])?;
        }
        let mut group = self.store.prepare(
            "INSERT INTO comment_group VALUES (?1, '/w', ?2, ?3, ?4, 0, '2026-08-20T10:00:00.000Z')",
        )?;
        for number in 0..self.sizes.threads / THREADS_PER_GROUP {
            let parent = (number % 4 > 0).then(|| format!("g{}", number - number % 4));
            let name = words::text(&mut self.dice, 12);
            group.execute(params![format!("g{number}"), parent, name, number as i64])?;
        }
        if self.sizes.generation == Generation::G13 {
            self.store.execute_batch(talk::GATEWAY)?;
        }
        Ok(())
    }

    fn thread(&mut self, number: u64) -> rusqlite::Result<()> {
        let id = self.dice.uuid();
        let lane = self.dice.weighted(&LANES);
        let is_new = self.sizes.generation == Generation::G13;
        let status = match (lane, is_new) {
            (0, true) => "draft",
            (1, true) => "note",
            (3, _) => "resolved",
            _ => "open",
        };
        let at = words::time(number * 60);
        let group = (number.is_multiple_of(3) && self.sizes.threads >= THREADS_PER_GROUP)
            .then(|| format!("g{}", self.dice.below(self.sizes.threads / THREADS_PER_GROUP)));
        let document = format!("d{}", number / THREADS_PER_DOCUMENT);
        let note = words::text(&mut self.dice, 90);
        let has_run = lane > 1;
        let session = (has_run && !is_new).then(|| review::first_session_id(&id).to_string());
        self.store
            .prepare_cached(
                "INSERT INTO thread(id, document_id, kind, status, note, group_id, is_note, position, session_id,
                    created_at, updated_at, resolved_at) VALUES (?1, ?2, 'anchored', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10)",
            )?
            .execute(params![
                id,
                document,
                status,
                note,
                group,
                i64::from(lane == 1 && !is_new),
                number as i64,
                session,
                at,
                (status == "resolved").then_some(&at)
            ])?;
        self.targets(&id, &document, lane)?;
        if has_run && is_new {
            self.store
                .prepare_cached(
                    "INSERT INTO thread_session VALUES (?1, 'claude-agent', 'rex-original', NULL, ?2, ?3)",
                )?
                .execute(params![id, review::first_session_id(&id).to_string(), at])?;
        }
        self.messages(&id, number, has_run)
    }

    fn targets(&mut self, thread: &str, document: &str, lane: usize) -> rusqlite::Result<()> {
        let places = 1 + self.dice.weighted(&[8, 1, 1]) as i64;
        for position in 0..places {
            let state = match lane {
                4 => Some("orphaned"),
                0 => None,
                _ if self.dice.chance(100) => Some("moved"),
                _ => Some("ok"),
            };
            let anchor = words::anchor(&mut self.dice);
            self.store
                .prepare_cached(
                    "INSERT INTO thread_target(thread_id, position, document_id, anchor_json, anchor_state)
                        VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![thread, position, document, anchor, state])?;
        }
        Ok(())
    }

    /// Shares the messages that are left among the comments that are left; a draft or a note has its own words only.
    fn messages(&mut self, thread: &str, number: u64, has_run: bool) -> rusqlite::Result<()> {
        let left = self.sizes.messages.saturating_sub(self.written);
        let threads_left = self.sizes.threads - number;
        let share = left / threads_left.max(1);
        let is_last = threads_left == 1;
        let wanted = match (has_run || is_last, is_last) {
            (_, true) => left,
            (true, _) => self.dice.range(share as i64 / 2, share as i64 * 2) as u64,
            (false, _) => 1,
        };
        let wanted = wanted.min(left);
        self.talk.write(self.store, &mut self.dice, thread, wanted)?;
        self.written += wanted;
        Ok(())
    }
}
