//! What the client loads of a session it has found, and what it needs to go on writing.

use std::path::Path;

use super::lookup::{self, STORE, head_fault};
use super::stop::Stop;
use super::{Rules, Surface};
use crate::agents::codex::databases::Held;
use crate::agents::codex::lineage::Broken;
use crate::agents::codex::log::{Rollout, Tail};
use crate::agents::codex::meta::First;
use crate::agents::codex::migrations::{self, Known};
use crate::agents::codex::name::rollout_name;
use crate::agents::codex::projection::Projection;
use crate::agents::codex::session::{Opened, Session};
use crate::agents::codex::store::{Fault, Opening};
use crate::evidence::{Says, Why};

/// Loads the context and makes ready to go on writing, in the client's order.
pub(super) fn context(session: &Session, log: &Opened, surface: Surface, rules: &Rules) -> Result<(), Stop> {
    let Says::Read(rollout) = &log.rollout else {
        return Err(Stop::Unknown);
    };
    let is_numbered = rules.numbers_records && lookup::is_numbered(log);
    if let Some(broken) = log.lineage.broken.as_ref().filter(|_| is_numbered) {
        return Err(lineage(session, broken));
    }
    if rules.keeps_provider {
        provider(session, log, rollout, surface)?;
    }
    if rules.numbers_records {
        if session.writer.is_some() {
            return Err(Stop::ActiveWriter);
        }
        recorder(session, log, rollout)?;
    }
    if is_numbered { pages(session) } else { Ok(()) }
}

/// The turns of a numbered log are shown page by page, from the projection, which needs the store.
fn pages(session: &Session) -> Result<(), Stop> {
    let is_legacy = session.row().is_some_and(|row| row.history_mode == "legacy");
    if is_legacy || !session.sees_store || !can_have_row(session) {
        return Err(Stop::Thread {
            said: "list_turns is not supported yet".to_owned(),
            code: -32601,
            is_lookup: false,
        });
    }
    projection(session)
}

/// True where the session has a row or one can be made from its log, which needs the time at which it began.
fn can_have_row(session: &Session) -> bool {
    let is_timed = |rollout: &Rollout| {
        rollout
            .meta()
            .is_none_or(|meta| meta.timestamp.parse::<jiff::Timestamp>().is_ok())
    };
    session.row().is_some() || session.rollout().is_none_or(is_timed)
}

fn lineage(session: &Session, broken: &Broken) -> Stop {
    let id = session.thread().unwrap_or_default();
    let invalid =
        |id: &str, words: &str| Stop::thread(format!("invalid paginated history lineage for {id}: {words}"));
    let read = |path: &Path, words: &str| {
        let path = path.display();
        Stop::failed(format!(
            "failed to read thread: {STORE}failed to read lineage metadata {path}: {words}"
        ))
    };
    match broken {
        Broken::Missing(parent) => invalid(parent, "missing source rollout"),
        Broken::Cycle => invalid(id, "cycle detected"),
        Broken::TooLong => invalid(id, "lineage exceeds 128 rollout segments"),
        Broken::Invalid(words) => invalid(id, words),
        Broken::Head(path, head) => read(path, &head_fault(head, path)),
        Broken::Unreadable(path, Why::NotPermitted) => read(path, "Permission denied (os error 13)"),
        Broken::Unreadable(..) => Stop::Unknown,
        Broken::Cut(path) => Stop::failed(format!(
            "failed to read thread: {STORE}failed to scan paginated model context lineage: {}: cutoff byte offset is past the source rollout",
            path.display()
        )),
    }
}

fn projection(session: &Session) -> Result<(), Stop> {
    let path = session.home.history_db();
    let opened = |doing: &str, words: &str| {
        Err(Stop::failed(format!(
            "failed to list thread history: {STORE}failed to open thread history database: failed to {doing} thread history DB at {}: {words}",
            path.display()
        )))
    };
    if let Some(Held::ForWriting(_) | Held::Exclusively(_)) = session.stores.projection_held {
        return Err(Stop::Waits);
    }
    match &session.stores.projection {
        Opening::Broken(Fault::NotADatabase) => opened(
            "open",
            "error returned from database: (code: 26) file is not a database",
        ),
        Opening::Broken(Fault::Malformed) => opened(
            "open",
            "error returned from database: (code: 11) database disk image is malformed",
        ),
        Opening::Absent | Opening::Broken(Fault::NoFolder) => Ok(()),
        Opening::Broken(Fault::CannotOpen(_)) => opened(
            "open",
            "error returned from database: (code: 14) unable to open database file",
        ),
        Opening::Broken(Fault::Unread(_)) => Err(Stop::Unknown),
        Opening::Read(projection) => {
            let has_tables = projection.missing_table.is_none();
            if let Some(table) = made_before(projection) {
                return opened("migrate", &table);
            }
            if let Some(fault) = migrations::HISTORY.fault(projection.migrations.as_deref(), has_tables) {
                return opened("migrate", &fault);
            }
            let is_current = migrations::HISTORY.is_current(projection.migrations.as_deref());
            match projection.missing_table.filter(|_| is_current) {
                Some(table) => Err(Stop::failed(format!(
                    "failed to list thread history: {STORE}failed to access thread history: error returned from database: (code: 1) no such table: {table}"
                ))),
                None => Ok(()),
            }
        }
    }
}

/// What the client says where a migration that was not recorded has made its table or index all the same.
fn made_before(projection: &Projection) -> Option<String> {
    let applied = projection.migrations.as_deref();
    let has_first = applied
        .unwrap_or_default()
        .iter()
        .any(|applied| applied.version == 1);
    let next = Known::next(applied);
    let (version, made) = match projection.missing_table {
        None if !has_first => (1, "table thread_turns"),
        _ if projection.is_ahead && !migrations::HISTORY.is_current(applied) => {
            (next, "index idx_thread_realtime_observed")
        }
        _ => return None,
    };
    Some(format!(
        "while executing migration {version}: error returned from database: (code: 1) {made} already exists"
    ))
}

/// Stops at a provider that is not in the settings.
pub(super) fn known_provider(session: &Session, log: &Opened) -> Result<(), Stop> {
    let Says::Read(rollout) = &log.rollout else {
        return Ok(());
    };
    match recorded_provider(session, rollout) {
        Some(recorded) if !session.home.settings().knows(&recorded) => Err(Stop::ProviderUnknown(recorded)),
        _ => Ok(()),
    }
}

fn provider(session: &Session, log: &Opened, rollout: &Rollout, surface: Surface) -> Result<(), Stop> {
    known_provider(session, log)?;
    let config = session.home.settings();
    let Some(recorded) = recorded_provider(session, rollout) else {
        return Ok(());
    };
    if surface.is_exec() && recorded != config.provider() {
        return Err(Stop::thread(format!(
            "failed to load configuration: Cannot change this thread's model provider from `{recorded}` to `{}` on resume.",
            config.provider()
        )));
    }
    Ok(())
}

/// The provider that the session is bound to: the row's, else the log's.
pub(in crate::agents::codex) fn recorded_provider(session: &Session, rollout: &Rollout) -> Option<String> {
    let by_row = session
        .row()
        .map(|row| row.model_provider.clone())
        .filter(|provider| !provider.is_empty());
    by_row.or_else(|| rollout.meta().and_then(|meta| meta.model_provider.clone()))
}

/// The client opens the log to go on writing, and is stricter than when it looked the session up.
fn recorder(session: &Session, log: &Opened, rollout: &Rollout) -> Result<(), Stop> {
    let failed = |words: String| {
        Err(Stop::failed(format!(
            "error resuming thread: Fatal error: Failed to initialize session: {words}"
        )))
    };
    if let Some(words) = session.cannot_lock {
        let lock = session.home.path.join("thread-writer-locks");
        let id = session.thread().unwrap_or_default();
        let path = lock.join(format!("{id}.lock"));
        return failed(format!(
            "{STORE}failed to open thread writer lock {}: {words}",
            path.display()
        ));
    }
    let is_numbered = lookup::is_numbered(log);
    let is_canonical = log.real_path.file_name().and_then(rollout_name).is_some();
    if is_numbered && !is_canonical {
        return failed(format!(
            "invalid thread-store request: {}",
            lookup::not_canonical(&log.real_path)
        ));
    }
    if log.path.is_relative() && session.cwd != session.home.path {
        let path = session.home.path.join(&log.path);
        return failed(format!(
            "invalid thread-store request: failed to resolve rollout path `{}`: file does not exist",
            path.display()
        ));
    }
    let resume = |words: String| failed(format!("{STORE}failed to resume local thread recorder: {words}"));
    let path = lookup::plain(&log.path);
    let path = path.display();
    if !log.is_writable {
        return resume("Permission denied (os error 13)".to_owned());
    }
    match &rollout.first {
        First::Meta => {}
        First::Other => return resume(format!("rollout at {path} does not start with session metadata")),
        First::Unparsable(words) => {
            return resume(format!("failed to parse first rollout record at {path}: {words}"));
        }
        First::Nothing => return resume(format!("rollout at {path} contains no records")),
    }
    match rollout.tail {
        Tail::Unnumbered(_) if is_numbered => resume(format!(
            "final paginated rollout record at {path} is missing an ordinal"
        )),
        Tail::NoRecord if is_numbered => resume(format!("rollout at {path} contains no valid records")),
        Tail::Unnumbered(_) | Tail::NoRecord | Tail::Numbered(_) => Ok(()),
    }
}
