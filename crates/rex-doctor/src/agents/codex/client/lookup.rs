//! How the client finds a session's log and reads its beginning.

use std::path::{Path, PathBuf};

use super::stop::Stop;
use super::{Rules, Surface};
use crate::agents::codex::log::Spot;
use crate::agents::codex::meta::{Head, HistoryMode};
use crate::agents::codex::migrations;
use crate::agents::codex::name::rollout_name;
use crate::agents::codex::session::{Opened, Session};
use crate::agents::codex::store::State;
use crate::evidence::{Says, Why};

/// What wraps every failure of the part that keeps threads.
pub(super) const STORE: &str = "thread-store internal error: ";

/// The path of the log that the client opens for the session, whether anything lies there or not.
pub(in crate::agents::codex) fn path(session: &Session, rules: &Rules) -> Option<PathBuf> {
    if rules.row_decides
        && let Some(row) = session.row()
        && !is_made_again(session)
    {
        return Some(row.rollout_path.clone());
    }
    let id = session.thread()?;
    let near = || session.files.near(&session.home.path.join("sessions"), id);
    let Some(found) = session.files.by_name(id) else {
        return near().filter(|_| rules.row_decides).cloned();
    };
    let is_seen = rules.row_decides || found.spot != Spot::Archived;
    is_seen.then(|| found.path.clone())
}

/// True where the client makes the row again from a file of a dated folder before it looks anything up, because its
/// first look through the folders was never finished.
fn is_made_again(session: &Session) -> bool {
    let is_pending = session
        .state()
        .is_some_and(|state| state.backfill.as_deref() == Some("pending"));
    let id = session.thread().unwrap_or_default();
    is_pending && session.files.of(id).any(|file| file.spot == Spot::Dated)
}

/// Looks the session up.
pub(super) fn session(session: &Session, surface: Surface, rules: &Rules) -> Result<(), Stop> {
    if rules.row_decides {
        by_row(session, surface)
    } else {
        by_name(session, rules)
    }
}

fn by_row(session: &Session, surface: Surface) -> Result<(), Stop> {
    missing_column(session)?;
    let row = session.row();
    if let Some(fault) = row.and_then(|row| row.fault.as_deref()) {
        return Err(unread_row(session, fault));
    }
    let is_archived = row.is_some_and(|row| row.is_archived) && !is_made_again(session);
    let log = session.log.as_ref().ok_or_else(|| not_found(session))?;
    if log.is_nowhere() {
        return Err(if is_archived {
            Stop::Archived
        } else {
            not_found(session)
        });
    }
    match &log.rollout {
        Says::Read(_) => {}
        // A folder that may not be entered hides the file from a row, not from a search by name; a file that may not
        // be read is seen by both.
        Says::Unreadable(Why::NotPermitted) if !log.is_visible && row.is_some() => {
            return Err(not_found(session));
        }
        Says::Unreadable(Why::NotPermitted) => {
            return Err(unread(session, log, "Permission denied (os error 13)"));
        }
        Says::Absent | Says::Unreadable(_) => return Err(Stop::Unknown),
    }
    canonical(session, log)?;
    head(session, log, surface)
}

/// Stops at a session that is archived, by its row or, without one, by the folder of its log.
pub(super) fn archived(session: &Session, log: &Opened, surface: Surface) -> Result<(), Stop> {
    let is_archived = match session.row() {
        // A listing has put the flag right before it took the file up.
        Some(row) => row.is_archived && !is_made_again(session) && !is_put_right(session, surface),
        None => session
            .files
            .rollouts
            .iter()
            .any(|file| file.path == log.path && file.spot == Spot::Archived),
    };
    if is_archived { Err(Stop::Archived) } else { Ok(()) }
}

fn is_put_right(session: &Session, surface: Surface) -> bool {
    let is_by_file = session.last.as_ref().is_some_and(|last| last.is_by_file);
    surface == Surface::ExecLast && is_by_file && !session.has_stale_path()
}

/// True where the store cannot be asked for a listing, or one of its rows does not read.
pub(super) fn is_store_unlisted(session: &Session) -> bool {
    let is_unlisted = |state: &State| state.cannot_list || state.newest.iter().any(|row| row.fault.is_some());
    missing_column(session).is_err() || session.state().is_some_and(is_unlisted)
}

fn missing_column(session: &Session) -> Result<(), Stop> {
    let Some(state) = session
        .state()
        .filter(|state| migrations::STATE.is_current(state.migrations.as_deref()))
    else {
        return Ok(());
    };
    let Some(column) = state.missing_column else {
        return Ok(());
    };
    Err(unread_row(
        session,
        &format!("error returned from database: (code: 1) no such column: threads.{column}"),
    ))
}

fn unread_row(session: &Session, words: &str) -> Stop {
    let id = session.thread().unwrap_or_default();
    Stop::unread(format!(
        "failed to read thread: {STORE}failed to read thread metadata for {id}: {words}"
    ))
}

/// Why a listing would not get as far as any session, in the client's words.
pub(super) fn listing_fault(session: &Session) -> Option<&'static str> {
    let sessions = session.home.path.join("sessions");
    let mut unreadable = session.files.unreadable.iter();
    unreadable.find_map(|(path, why)| match why {
        Why::NotPermitted if path.starts_with(&sessions) => Some("Permission denied (os error 13)"),
        Why::NotDirectory if *path == sessions => Some("Not a directory (os error 20)"),
        _ => None,
    })
}

/// The client finds no log.
pub(super) fn not_found(session: &Session) -> Stop {
    let id = session.thread().unwrap_or_default();
    match session.row() {
        Some(row) if row.history_mode == "legacy" && !row.rollout_path.as_os_str().is_empty() => {
            Stop::thread(format!(
                "failed to resolve rollout path `{}`: file does not exist",
                row.rollout_path.display()
            ))
        }
        Some(_) => Stop::thread(format!("no rollout found for thread id {id}")),
        None if listing_fault(session) == Some("Permission denied (os error 13)") => Stop::lookup(format!(
            "failed to locate thread id {id}: Permission denied (os error 13)"
        )),
        None => Stop::lookup(format!("no rollout found for thread id {id}")),
    }
}

/// A numbered log must have the client's own kind of name.
fn canonical(session: &Session, log: &Opened) -> Result<(), Stop> {
    let is_numbered = match session.row() {
        Some(row) => row.history_mode != "legacy",
        None => is_numbered(log),
    };
    let is_canonical = log.path.file_name().and_then(rollout_name).is_some();
    if is_numbered && !is_canonical {
        let words = not_canonical(&log.path);
        return Err(match session.row() {
            Some(_) => Stop::thread(words),
            None => Stop::lookup(words),
        });
    }
    Ok(())
}

/// What the client says of a name that is not its own.
pub(super) fn not_canonical(path: &Path) -> String {
    format!(
        "paginated rollout path `{}` does not have a canonical rollout filename",
        path.display()
    )
}

fn head(session: &Session, log: &Opened, surface: Surface) -> Result<(), Stop> {
    let Says::Read(rollout) = &log.rollout else {
        return Ok(());
    };
    let meta = match &rollout.head {
        Head::Meta(meta) => meta,
        fault => return Err(unread(session, log, &head_fault(fault, &plain(&log.path)))),
    };
    let id = session.thread().unwrap_or_default();
    if meta.id == id {
        return Ok(());
    }
    match (session.row(), surface) {
        (Some(_), _) => Err(Stop::unread(format!(
            "failed to read thread: {STORE}session metadata {} belongs to thread {}, expected {id}",
            plain(&log.path).display(),
            meta.id
        ))),
        (None, Surface::Tui) => Ok(()),
        (None, _) => Err(Stop::thread(
            "thread source changed during resume; retry with the current thread ID or path".to_owned(),
        )),
    }
}

/// What the client says of a beginning that it cannot take.
pub(super) fn head_fault(head: &Head, path: &Path) -> String {
    let path = path.display();
    match head {
        Head::Meta(_) => String::new(),
        Head::Empty => format!("rollout at {path} is empty"),
        Head::OtherFirst => format!("rollout at {path} does not start with session metadata"),
        Head::UnknownMode(words) => format!("invalid session metadata history_mode: {words}"),
        Head::NotUtf8 => "stream did not contain valid UTF-8".to_owned(),
        Head::NotUnpacked(words) => words.clone(),
    }
}

fn unread(session: &Session, log: &Opened, words: &str) -> Stop {
    let read = format!(
        "{STORE}failed to read session metadata {}: ",
        plain(&log.path).display()
    );
    // Said twice where the row led to the log.
    let again = if session.row().is_some() {
        read.as_str()
    } else {
        ""
    };
    Stop::unread(format!("failed to read thread: {read}{again}{words}"))
}

/// The path of the plain file, which the client names also where it reads the packed one.
pub(super) fn plain(path: &Path) -> PathBuf {
    if path.extension().is_some_and(|ending| ending == "zst") {
        path.with_extension("")
    } else {
        path.to_path_buf()
    }
}

/// The older rule: the file whose name has the id, and its first record.
fn by_name(session: &Session, rules: &Rules) -> Result<(), Stop> {
    let id = session.thread().unwrap_or_default();
    let lost = || format!("no rollout found for thread id {id}");
    let Some(log) = session.log.as_ref().filter(|log| log.rollout.is_read()) else {
        let shown = session.row().is_some_and(|row| {
            session
                .files
                .rollouts
                .iter()
                .any(|file| file.path == row.rollout_path)
        });
        return Err(if shown {
            Stop::thread(lost())
        } else {
            Stop::lookup(lost())
        });
    };
    let Says::Read(rollout) = &log.rollout else {
        return Ok(());
    };
    let path = rollout.path.display();
    if !rules.unpacks && rollout.path.extension().is_some_and(|ending| ending == "zst") {
        return Err(Stop::lookup(format!(
            "failed to load rollout `{path}`: stream did not contain valid UTF-8"
        )));
    }
    let words = match &rollout.head {
        Head::Meta(_) => return Ok(()),
        Head::Empty if rollout.bytes == 0 => "empty session file",
        _ => "failed to parse thread ID from rollout file",
    };
    Err(Stop::thread(format!("failed to load rollout `{path}`: {words}")))
}

/// True where the log's own first record says that its records are numbered.
pub(super) fn is_numbered(log: &Opened) -> bool {
    let Says::Read(rollout) = &log.rollout else {
        return false;
    };
    rollout
        .meta()
        .is_some_and(|meta| meta.history_mode == HistoryMode::Paginated)
}
