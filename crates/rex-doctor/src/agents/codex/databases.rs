//! The SQLite files of a home: what opening each came to, and who holds it. Judges nothing.

use std::path::{Path, PathBuf};

use super::home::Home;
use super::projection::{self, Projection};
use super::store::{self, Opening, State};
use crate::place::Place;
use crate::place::processes::Lock;

/// A process that holds something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Holder {
    /// Its id, where the system tells.
    pub(super) pid: Option<u32>,
    /// Its program, where the system tells.
    pub(super) name: Option<String>,
}

/// How another process holds a SQLite file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// Nobody may read it.
    Exclusively(Holder),
    /// Nobody else may write it.
    ForWriting(Holder),
}

/// One of the SQLite files that the client opens when it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Side {
    /// What the client calls it.
    pub(super) name: &'static str,
    /// Its path.
    pub(super) path: PathBuf,
    /// What opening it came to.
    pub(super) opening: Opening<store::Applied>,
    /// Who holds it.
    pub(super) held: Option<Held>,
}

/// What the stores say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stores {
    /// The state database.
    pub(super) state: Opening<State>,
    /// Who holds it.
    pub(super) held: Option<Held>,
    /// The projection of the logs.
    pub(super) projection: Opening<Projection>,
    /// Who holds that.
    pub(super) projection_held: Option<Held>,
    /// Goals, memories, queue, telemetry.
    pub(super) sides: Vec<Side>,
    /// Another state database beside the one that counts.
    pub(super) second: Option<PathBuf>,
    /// False where mode or owner keep the client from writing the state database.
    pub(super) is_writable: bool,
    /// State databases of other generations in the same folder.
    pub(super) generations: Vec<PathBuf>,
}

/// Opens the SQLite files of a home. `id` picks the row to read.
pub(super) fn stores(place: &Place, home: &Home, id: Option<&str>) -> Stores {
    let state_db = home.state_db();
    let history_db = home.history_db();
    let desktop = home.path.join("sqlite").join("state_5.sqlite");
    let sides = [
        ("goals", "goals_1"),
        ("memories", "memories_1"),
        ("queue", "queue_1"),
        ("logs", "logs_2"),
    ];
    let sides = sides.map(|(name, file)| {
        let path = home.sqlite_folder.join(format!("{file}.sqlite"));
        Side {
            name,
            opening: store::sound(place, &path),
            held: held(place, &path),
            path,
        }
    });
    let listing = place
        .list(&home.sqlite_folder)
        .read()
        .map(|listing| listing.entries)
        .unwrap_or_default();
    let is_generation = |name: &str| {
        let number = name
            .strip_prefix("state")
            .and_then(|rest| rest.strip_suffix(".sqlite"));
        number.is_some_and(|number| {
            number
                .trim_start_matches('_')
                .bytes()
                .all(|byte| byte.is_ascii_digit())
        }) && name != "state_5.sqlite"
    };
    let generations = listing
        .into_iter()
        .filter(|entry| entry.name.to_str().is_some_and(is_generation));
    Stores {
        state: store::state(place, &state_db, id),
        held: held(place, &state_db),
        projection: projection::read(place, &history_db, id),
        projection_held: held(place, &history_db),
        sides: sides.into(),
        second: (desktop != state_db && place.is_file(&desktop)).then_some(desktop),
        is_writable: place.may_write(&state_db).read().unwrap_or(true),
        generations: generations.map(|entry| entry.path).collect(),
    }
}

/// The byte of a `-shm` file that a writer locks, and the first byte that a reader of the database locks.
const WRITER_BYTE: u64 = 120;
const SHARED_BYTE: u64 = 0x4000_0002;

/// Who holds a SQLite file so that others must wait.
fn held(place: &Place, path: &Path) -> Option<Held> {
    let covers = |lock: &Lock, byte: u64| {
        lock.exclusive && lock.from_byte <= byte && lock.to_byte.is_none_or(|to_byte| byte <= to_byte)
    };
    let on_file = place.locks(path).read().unwrap_or_default();
    if let Some(lock) = on_file.iter().find(|lock| covers(lock, SHARED_BYTE)) {
        return Some(Held::Exclusively(holder(place, lock)));
    }
    let mut shared = path.as_os_str().to_owned();
    shared.push("-shm");
    let on_shared = place.locks(Path::new(&shared)).read().unwrap_or_default();
    let lock = on_shared.iter().find(|lock| covers(lock, WRITER_BYTE))?;
    Some(Held::ForWriting(holder(place, lock)))
}

/// The process behind a lock.
pub(super) fn holder(place: &Place, lock: &Lock) -> Holder {
    let process = lock.pid.and_then(|pid| place.process(pid).read());
    Holder {
        pid: lock.pid,
        name: process.map(|process| process.name),
    }
}
