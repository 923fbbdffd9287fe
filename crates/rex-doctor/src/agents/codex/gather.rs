//! Gathers everything that both witnesses say about one session. Judges nothing.

use std::path::Path;

use super::databases::{self, holder};
use super::home::{self, Home};
use super::lineage::{self, Lineage};
use super::log::{self, Files, RolloutFile, Spot};
use super::session::{Opened, Session};
use super::{client, name, names, shelf, store};
use crate::evidence::Says;
use crate::place::Place;

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
    let stores = databases::stores(place, &home, meant.id());
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
        cannot_lock: None,
        cannot_start: cannot_start(place, &home),
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
    let is_flat = log.path.parent() == Some(&session.home.path.join("sessions"));
    let is_other = |file: &&RolloutFile| {
        let is_alike = file.path.file_name() == log.path.file_name() && file.path != log.path;
        is_alike && !is_flat && file.spot != Spot::Archived
    };
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

/// What keeps the client from opening a file of its own for writing, in its words.
fn cannot_write(place: &Place, path: &Path, folder: bool) -> Option<&'static str> {
    const REFUSED: &str = "Permission denied (os error 13)";
    if place.is_directory(path) {
        return Some("Is a directory (os error 21)");
    }
    let may = match place.may_write(path) {
        Says::Read(may) => may,
        Says::Absent => folder,
        Says::Unreadable(_) => false,
    };
    (!may).then_some(REFUSED)
}

/// The client opens `installation_id` for writing before anything else.
fn cannot_start(place: &Place, home: &Home) -> Option<&'static str> {
    if home.folder != home::Folder::Directory {
        return None;
    }
    cannot_write(place, &home.path.join("installation_id"), home.is_writable)
}

/// The built-in provider needs an account or a key.
fn asks_to_sign_in(place: &Place, home: &Home) -> bool {
    let has_key = ["OPENAI_API_KEY", "CODEX_API_KEY"]
        .iter()
        .any(|name| place.variable(name).is_some());
    let is_begun = match (home.folder, &home.selected) {
        (home::Folder::Directory, _) | (home::Folder::Missing, home::Selected::Default) => true,
        (home::Folder::Missing | home::Folder::NotDirectory | home::Folder::Hidden, _) => false,
    };
    is_begun
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
    let is_writable = place.may_write(&folder).read().unwrap_or(true);
    session.cannot_lock = cannot_write(place, &path, is_writable);
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
    let mut strangers = session.files.strangers.iter().take(200);
    session.stranger = strangers
        .find(|path| log::first_record(place, path).is_some_and(|meta| meta.id == id))
        .cloned();
}
