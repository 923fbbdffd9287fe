//! Everything that both witnesses say about one session, gathered before anything is judged.

use std::path::{Path, PathBuf};

use super::conversation::{Count, Tally};
use super::home::{self, Elsewhere, Home};
use super::lineage::{self, Lineage};
use super::log::{self, Files, Rollout, RolloutFile, Spot};
use super::store::{self, Opening, Projection, Row, State};
use super::{client, name, names, shelf};
use crate::evidence::{Says, Why};
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

/// The log that the client opens for the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opened {
    /// The path that the client names, packed or not.
    pub(super) path: PathBuf,
    /// What reading it came to.
    pub(super) rollout: Says<Rollout>,
    /// The path with symlinks resolved.
    pub(super) real_path: PathBuf,
    /// The rollouts that its context is read from.
    pub(super) lineage: Lineage,
    /// The messages in them; none where that was not asked.
    pub(super) count: Option<Says<Count>>,
    /// The messages in its own file alone, where it is a fork by reference.
    pub(super) own_count: Option<Count>,
    /// False where mode or owner keep the client from writing it.
    pub(super) is_writable: bool,
    /// False where a folder on the way to it may not be entered.
    pub(super) is_visible: bool,
    /// How long before the question it was changed, in milliseconds.
    pub(super) age_ms: i64,
}

impl Opened {
    /// True where no file lies at the path.
    pub(super) fn is_nowhere(&self) -> bool {
        matches!(
            &self.rollout,
            Says::Absent
                | Says::Unreadable(Why::NotDirectory | Why::IsDirectory | Why::NotRegular(_) | Why::Loop)
        )
    }
}

/// What both witnesses say about one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Session {
    /// What the person would hand to the client.
    pub(super) argument: String,
    /// The thread id that the client reads in it, or its words about why it is none.
    pub(super) id: Result<String, String>,
    /// The session that the person means, also where only the doctor can tell.
    pub(super) meant: names::Meant,
    /// The folder the client is started in.
    pub(super) cwd: PathBuf,
    /// The home.
    pub(super) home: Home,
    /// What the stores say.
    pub(super) stores: Stores,
    /// The files of the home.
    pub(super) files: Files,
    /// Where an application around the agent believes the log to be, and whether anything lies there.
    pub(super) host_log: Option<(PathBuf, bool)>,
    /// True where the release that is asked about reads packed logs.
    pub(super) unpacks: bool,
    /// True where that release numbers the records of a log.
    pub(super) numbers_records: bool,
    /// True where that release binds a session to its provider.
    pub(super) keeps_provider: bool,
    /// True where what `--last` comes upon was looked for.
    pub(super) is_last_known: bool,
    /// The sessions whose ids are most like the argument.
    pub(super) nearest: Vec<String>,
    /// False for a client that goes on without the store.
    pub(super) sees_store: bool,
    /// The log that the client opens; none where it finds no path.
    pub(super) log: Option<Opened>,
    /// Other files with the session's id in their name, where no row says which of them counts.
    pub(super) twins: Vec<Opened>,
    /// What `--last` comes upon first.
    pub(super) last: Option<shelf::Listed>,
    /// The session of that, as it is resumed.
    pub(super) taken_up: Option<Box<Session>>,
    /// Who holds the session's writer lock.
    pub(super) writer: Option<Holder>,
    /// False where mode or owner keep the client from making the writer lock.
    pub(super) can_lock: bool,
    /// False where mode or owner keep the client from starting in this home.
    pub(super) can_start: bool,
    /// True where the terminal first asks the person to sign in.
    pub(super) asks_to_sign_in: bool,
    /// True where the client is started in the folder of the session's last turn.
    pub(super) is_in_own_folder: bool,
    /// Where another home holds the session, looked for only if this one does not.
    pub(super) elsewhere: Option<Elsewhere>,
    /// A file that holds the session under a name that the client does not see.
    pub(super) stranger: Option<PathBuf>,
    /// Other homes on this disk that hold sessions.
    pub(super) other_homes: Vec<PathBuf>,
    /// What was looked at to find them.
    pub(super) looked_at: Vec<String>,
    /// Side records of the session that are neither row nor log, in words.
    pub(super) traces: Vec<String>,
}

impl Session {
    /// The row of the session, as far as the client sees the store.
    pub(super) fn row(&self) -> Option<&Row> {
        self.state()?.row.as_ref()
    }

    /// The state database, as far as the client sees it.
    pub(super) fn state(&self) -> Option<&State> {
        self.stores.state.read().filter(|_| self.sees_store)
    }

    /// The log's contents, where it was read.
    pub(super) fn rollout(&self) -> Option<&Rollout> {
        match &self.log.as_ref()?.rollout {
            Says::Read(rollout) => Some(rollout),
            Says::Absent | Says::Unreadable(_) => None,
        }
    }

    /// The id of the session that is meant, where it is exactly one.
    pub(super) fn thread(&self) -> Option<&str> {
        self.meant.id()
    }

    /// True where the row names a path at which nothing lies.
    pub(super) fn has_stale_path(&self) -> bool {
        self.row().is_some() && self.log.as_ref().is_none_or(Opened::is_nowhere)
    }

    /// How many messages existed and are not carried although nobody took them back.
    pub(super) fn lost(&self, log: &Opened) -> Option<u64> {
        let Some(Says::Read(count)) = &log.count else {
            return None;
        };
        let reachable = count.reachable.sum() + count.taken_back.sum();
        Some(self.recorded(log)?.sum().saturating_sub(reachable))
    }

    /// Every message that is proven to have existed in the session that `log` was opened for: those that its records
    /// prove, and, where the log is shorter than it once was, those that the projection still shows.
    pub(super) fn recorded(&self, log: &Opened) -> Option<Tally> {
        let Some(Says::Read(count)) = &log.count else {
            return None;
        };
        let Says::Read(rollout) = &log.rollout else {
            return None;
        };
        let was_cut = self.stores.projection.read().filter(|projection| {
            projection
                .cursor
                .is_some_and(|(end_bytes, _)| end_bytes > rollout.bytes)
                && log.lineage.segments.len() == 1
        });
        let shown = was_cut.map(|projection| Tally {
            prompts: projection.prompts,
            replies: projection.replies,
        });
        Some(count.recorded.or(shown.unwrap_or_default()))
    }
}

/// Gathers what there is to know about a session, under the rules of one release.
pub(super) fn gather(
    place: &Place,
    argument: &str,
    rules: &client::Rules,
    home: &Home,
    files: &Files,
) -> Session {
    let mut session = bare(place, argument, rules, home, files);
    look(place, &mut session, rules);
    if let Some(id) = session.meant.id().map(str::to_owned) {
        lock(place, &mut session, &id);
        traces(place, &mut session, &id);
    }
    others(place, &mut session);
    session
}

/// What the stores and the folders say, before any log is opened.
fn bare(place: &Place, argument: &str, rules: &client::Rules, home: &Home, files: &Files) -> Session {
    let (home, files) = (home.clone(), files.clone());
    let id = name::thread_id(argument);
    let meant = names::meant(place, &home, &files, argument, &id);
    let stores = stores(place, &home, meant.id());
    Session {
        argument: argument.to_owned(),
        id,
        cwd: place.cwd().to_path_buf(),
        sees_store: true,
        host_log: None,
        unpacks: rules.unpacks,
        numbers_records: rules.numbers_records,
        keeps_provider: rules.keeps_provider,
        is_last_known: false,
        nearest: vec![],
        log: None,
        twins: vec![],
        last: None,
        taken_up: None,
        writer: None,
        can_lock: true,
        can_start: can_start(place, &home),
        asks_to_sign_in: asks_to_sign_in(place, &home),
        is_in_own_folder: true,
        elsewhere: None,
        stranger: None,
        other_homes: vec![],
        looked_at: vec![],
        traces: vec![],
        meant,
        home,
        stores,
        files,
    }
}

/// What there is to know about a home, whichever session is meant.
pub(super) fn of_home(place: &Place, rules: &client::Rules, home: &Home, files: &Files) -> Session {
    let mut session = bare(place, "", rules, home, files);
    others(place, &mut session);
    session
}

/// The same session as a client sees it that goes on without the store.
pub(super) fn without_store(place: &Place, session: &Session, rules: &client::Rules) -> Session {
    let mut blind = Session {
        sees_store: false,
        ..session.clone()
    };
    look(place, &mut blind, rules);
    blind
}

/// Opens the logs that the client comes upon.
fn look(place: &Place, session: &mut Session, rules: &client::Rules) {
    let path = session
        .meant
        .id()
        .and_then(|_| client::lookup::path(session, rules));
    session.log = path.map(|path| opened(place, &session.files, &path, true));
    if let Some(rollout) = session.rollout() {
        session.is_in_own_folder = rollout.meta().is_none() || shelf::is_here(place, rollout);
    }
    session.twins = twins(place, session);
    session.last = shelf::first(place, session, rules);
    session.is_last_known = session.home.config.why().is_none();
    session.taken_up = session
        .last
        .clone()
        .map(|listed| Box::new(follow(place, session, listed, rules)));
}

/// The session that a listing came upon, as the client then resumes it by its id.
fn follow(place: &Place, session: &Session, listed: shelf::Listed, rules: &client::Rules) -> Session {
    let id = listed.id.clone();
    let path = listed.path.clone();
    let mut taken = Session {
        last: Some(listed),
        taken_up: None,
        twins: vec![],
        writer: None,
        ..session.clone()
    };
    if session.thread() != Some(id.as_str()) {
        taken.meant = names::Meant::One {
            id: id.clone(),
            how: names::How::Id,
        };
        taken.stores.state = store::state(place, &session.home.state_db(), Some(&id));
    }
    // A listing makes a missing row before the session is asked for; without a store there is only the name.
    let has_row = taken.row().is_some();
    let is_made = !has_row && (taken.sees_store || !rules.row_decides);
    let path = if is_made {
        Some(path)
    } else {
        client::lookup::path(&taken, rules)
    };
    taken.log = match (path, &session.log) {
        (Some(path), Some(log)) if log.path == path => Some(log.clone()),
        (Some(path), _) => Some(opened(place, &session.files, &path, true)),
        (None, _) => None,
    };
    lock(place, &mut taken, &id);
    taken
}

/// Files beside the one that was opened, of the same name and with other bytes, below `sessions`.
fn twins(place: &Place, session: &Session) -> Vec<Opened> {
    let (None, Some(log), Some(id)) = (session.row(), &session.log, session.thread()) else {
        return vec![];
    };
    let is_other =
        |file: &&RolloutFile| file.spot != Spot::Archived && !file.is_compressed && file.path != log.path;
    let others = session.files.of(id).filter(is_other).take(8);
    others
        .map(|file| opened(place, &session.files, &file.path, true))
        .collect()
}

/// Opens a log at a path that the client came by.
pub(super) fn opened(place: &Place, files: &Files, path: &Path, counts: bool) -> Opened {
    let rollout = log::read(place, path);
    let lineage = match &rollout {
        Says::Read(rollout) => lineage::of(place, files, rollout),
        Says::Absent | Says::Unreadable(_) => Lineage::default(),
    };
    let is_read = rollout.is_read();
    let is_fork = counts && lineage.segments.len() > 1;
    let age_ms = match &rollout {
        Says::Read(rollout) => place.now().as_millisecond() - rollout.modified.as_millisecond(),
        Says::Absent | Says::Unreadable(_) => i64::MAX,
    };
    let found = rollout
        .as_ref()
        .read()
        .map_or(path, |rollout| rollout.path.as_path());
    Opened {
        path: path.to_path_buf(),
        real_path: place
            .real_path(found)
            .read()
            .unwrap_or_else(|| path.to_path_buf()),
        count: (counts && is_read).then(|| log::replay(place, &lineage.segments)),
        own_count: is_fork
            .then(|| {
                log::replay(
                    place,
                    lineage
                        .segments
                        .last()
                        .map(std::slice::from_ref)
                        .unwrap_or_default(),
                )
            })
            .and_then(Says::read),
        lineage,
        is_writable: place.may_write(found).read().unwrap_or(true),
        is_visible: place.stat(found).is_read(),
        age_ms,
        rollout,
    }
}

fn stores(place: &Place, home: &Home, id: Option<&str>) -> Stores {
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
        let path = home.sqlite_home.join(format!("{file}.sqlite"));
        Side {
            name,
            opening: store::sound(place, &path),
            held: held(place, &path),
            path,
        }
    });
    let listing = place
        .list(&home.sqlite_home)
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
        projection: store::projection(place, &history_db, id),
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

fn holder(place: &Place, lock: &Lock) -> Holder {
    let process = lock.pid.and_then(|pid| place.process(pid).read());
    Holder {
        pid: lock.pid,
        name: process.map(|process| process.name),
    }
}

/// The client opens `installation_id` for writing before anything else.
fn can_start(place: &Place, home: &Home) -> bool {
    if home.folder != home::Folder::Directory {
        return true;
    }
    match place.may_write(&home.path.join("installation_id")) {
        Says::Read(may) => may,
        Says::Absent => home.is_writable,
        Says::Unreadable(_) => false,
    }
}

/// The built-in provider needs an account or a key.
fn asks_to_sign_in(place: &Place, home: &Home) -> bool {
    let has_key = ["OPENAI_API_KEY", "CODEX_API_KEY"]
        .iter()
        .any(|name| place.variable(name).is_some());
    home.folder == home::Folder::Directory
        && home.config.why().is_none()
        && home.settings().provider() == "openai"
        && !has_key
        && place.link_stat(&home.path.join("auth.json")).is_absent()
}

/// Who holds the session's writer lock, and whether the client may make it.
pub(super) fn lock(place: &Place, session: &mut Session, id: &str) {
    let folder = session.home.path.join("thread-writer-locks");
    let path = folder.join(format!("{id}.lock"));
    let locks = place.locks(&path).read().unwrap_or_default();
    session.writer = locks.first().map(|lock| holder(place, lock));
    session.can_lock = match place.may_write(&path) {
        Says::Read(may) => may,
        Says::Absent => place.may_write(&folder).read().unwrap_or(true),
        Says::Unreadable(_) => false,
    };
}

fn traces(place: &Place, session: &mut Session, id: &str) {
    for (name, what) in [
        ("session_index.jsonl", "a name was given to it"),
        ("history.jsonl", "a prompt was typed into it"),
    ] {
        let path = session.home.path.join(name);
        let Says::Read(bytes) = place.read(&path, 16 << 20) else {
            continue;
        };
        if memchr::memmem::find(&bytes, id.as_bytes()).is_some() {
            session.traces.push(format!("{}: {what}", path.display()));
        }
    }
    if session
        .stores
        .projection
        .read()
        .is_some_and(|projection| projection.cursor.is_some())
    {
        session.traces.push(format!(
            "{}: its turns were projected",
            session.home.history_db().display()
        ));
    }
}

fn others(place: &Place, session: &mut Session) {
    let found = home::others(place, &session.home);
    session.other_homes = found.homes;
    session.looked_at = found.looked_at;
    let Some(id) = session.thread().map(str::to_owned) else {
        return;
    };
    let is_here = session.log.as_ref().is_some_and(|log| !log.rollout.is_absent());
    if is_here || session.files.of(&id).next().is_some() {
        return;
    }
    session.elsewhere = home::elsewhere(&session.other_homes, &id, |home| log::files(place, home));
    let strangers = session.files.strangers.iter().take(200);
    session.stranger = strangers
        .filter(|path| log::first_record(place, path).is_some_and(|meta| meta.id == id))
        .next()
        .cloned();
}
