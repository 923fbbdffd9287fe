//! Commands that more than one finding offers.

use std::path::Path;

use super::databases::Holder;
use super::session::Session;
use crate::check::Remedy;

/// Moves a SQLite file aside with what is pending beside it. The client makes it anew from the logs.
pub(super) fn aside(path: &Path, text: &str, tested: bool) -> Remedy {
    let script =
        "for f in \"$1\" \"$1-wal\" \"$1-shm\"; do if [ -e \"$f\" ]; then mv \"$f\" \"$f.aside\"; fi; done";
    Remedy::command(
        text,
        ["sh", "-c", script, "sh", &path.display().to_string()],
        tested,
    )
}

/// Deletes the session's row, after which the client finds the log by its name and makes the row again.
pub(super) fn delete_row(session: &Session, tested: bool) -> Remedy {
    let id = session.thread().unwrap_or_default();
    let sql = format!("DELETE FROM threads WHERE id = '{id}'");
    let text = "delete the row: the client then finds the log by its name and makes the row again";
    Remedy::command(
        text,
        ["sqlite3", &session.home.state_db().display().to_string(), &sql],
        tested,
    )
}

/// Changes the row.
pub(super) fn set_row(session: &Session, text: &str, change: &str, tested: bool) -> Remedy {
    let id = session.thread().unwrap_or_default();
    let sql = format!("UPDATE threads SET {change} WHERE id = '{id}'");
    Remedy::command(
        text,
        ["sqlite3", &session.home.state_db().display().to_string(), &sql],
        tested,
    )
}

/// Takes the session out of the archive.
pub(super) fn unarchive(session: &Session, tested: bool) -> Remedy {
    let id = session.thread().unwrap_or_default();
    Remedy::command("take it out of the archive", ["codex", "unarchive", id], tested)
}

/// Without it `codex exec` asks for a trusted repository around the folder, which the session may not have had.
pub(super) const SKIP: &str = "--skip-git-repo-check";

/// Puts the log back where the row names it.
pub(super) fn put_back(from: &Path, to: &Path, tested: bool) -> Remedy {
    let script = "mkdir -p \"$(dirname \"$2\")\" && mv \"$1\" \"$2\"";
    let (from, to) = (from.display().to_string(), to.display().to_string());
    let text = "put the log back where the row names it";
    Remedy::command(text, ["sh", "-c", script, "sh", &from, &to], tested)
}

/// Resumes by the whole id.
pub(super) fn by_id(id: &str, text: &str, tested: bool) -> Remedy {
    Remedy::command(text, ["codex", "exec", SKIP, "resume", id, "go on"], tested)
}

/// Gives the client the right to what lies at the path.
pub(super) fn permit(path: &Path, rights: &str, tested: bool) -> Remedy {
    let text = "give the client the right to it; if another user owns it, change its owner instead";
    Remedy::command(text, ["chmod", rights, &path.display().to_string()], tested)
}

/// Ends the process that holds something.
pub(super) fn end(holder: &Holder) -> Remedy {
    match holder.pid {
        Some(pid) => Remedy::command("end the process that holds it", ["kill", &pid.to_string()], false),
        None => Remedy::advice("find the process that holds it and end it"),
    }
}

/// Who holds something, in words.
pub(super) fn holder(holder: &Holder) -> String {
    match (holder.pid, &holder.name) {
        (Some(pid), Some(name)) => format!("process {pid} ({name})"),
        (Some(pid), None) => format!("process {pid}"),
        (None, _) => "a process that the system does not name".to_owned(),
    }
}

/// A text for SQL, with its quotes doubled.
pub(super) fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "''"))
}
