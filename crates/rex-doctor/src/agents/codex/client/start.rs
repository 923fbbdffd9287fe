//! What can stop the client before it looks at any session: its home, its settings, its SQLite files.

use std::path::Path;

use super::stop::Stop;
use super::{Rules, Surface};
use crate::agents::codex::databases::{Held, Side, Stores};
use crate::agents::codex::home::config::OLD_WIRE_API;
use crate::agents::codex::home::{Folder, Home, Selected};
use crate::agents::codex::migrations::{self, Known};
use crate::agents::codex::session::Session;
use crate::agents::codex::store::{Fault, Opening};
use crate::evidence::{Says, Why};

/// Starts the client.
pub(super) fn client(session: &Session, surface: Surface, rules: &Rules) -> Result<(), Stop> {
    home(&session.home)?;
    settings(&session.home)?;
    if let Some(words) = session.cannot_start.filter(|_| rules.numbers_records) {
        return Err(Stop::CannotStart(words));
    }
    let config = session.home.settings();
    if surface != Surface::AppServer && !config.knows(config.provider()) {
        return Err(Stop::DefaultProvider(config.provider().to_owned()));
    }
    if surface == Surface::Tui
        && (session.asks_to_sign_in || (rules.asks_folder && !session.is_in_own_folder))
    {
        return Err(Stop::Waits);
    }
    if rules.needs_store {
        stores(session, surface)
    } else {
        Ok(())
    }
}

fn home(home: &Home) -> Result<(), Stop> {
    let Selected::Variable(value) = &home.selected else {
        return Ok(());
    };
    let points = format!("CODEX_HOME points to \"{value}\", but that path");
    Err(Stop::Home(match home.folder {
        Folder::Directory => return Ok(()),
        Folder::Missing => format!("{points} does not exist"),
        Folder::NotDirectory => format!("{points} is not a directory"),
        Folder::Hidden => format!("failed to read CODEX_HOME \"{value}\": Permission denied (os error 13)"),
    }))
}

fn settings(home: &Home) -> Result<(), Stop> {
    let path = home.path.join("config.toml");
    let stop = |exec: &str, server: String, tui: Option<String>| {
        Err(Stop::Settings {
            exec: exec.to_owned(),
            app_server: format!("failed to load configuration: {server}"),
            tui,
        })
    };
    let unread = |fault: &str| {
        let words = format!("Failed to read config file {}: {fault}", path.display());
        stop(
            &format!("Error loading config.toml: {words}"),
            words.clone(),
            Some(format!("Error: {words}")),
        )
    };
    match &home.config {
        Says::Unreadable(Why::Damaged(words)) if words.starts_with("invalid utf-8") => unread(words),
        Says::Unreadable(Why::Damaged(words)) => {
            let server = format!("{}:{words}", path.display());
            // A value of the wrong type is told in one line, bad grammar in several.
            match value_fault(words) {
                Some(fault) => stop(
                    &format!("Error loading config.toml: {fault}"),
                    server,
                    Some(format!("Error: {fault}")),
                ),
                None => stop(
                    "Error loading config.toml:",
                    server,
                    Some("Error: loading config.toml:".to_owned()),
                ),
            }
        }
        Says::Unreadable(Why::NotPermitted) => unread("Permission denied (os error 13)"),
        Says::Unreadable(Why::IsDirectory) => unread(&format!("path `{}` is not a file", path.display())),
        Says::Unreadable(_) => Err(Stop::Unknown),
        Says::Read(config) => match &config.legacy_profile {
            Some(name) => {
                let words = format!(
                    "legacy `profile = \"{name}\"` config is no longer supported; use `--profile {name}` with `{name}.config.toml` instead"
                );
                stop(&format!("Error: {words}"), words, None)
            }
            None => Ok(()),
        },
        Says::Absent => Ok(()),
    }
}

/// What is wrong with a value, of words that tell of one.
fn value_fault(words: &str) -> Option<&str> {
    let at = ["invalid type: ", OLD_WIRE_API]
        .iter()
        .find_map(|start| words.find(start))?;
    words.get(at..)
}

fn stores(session: &Session, surface: Surface) -> Result<(), Stop> {
    let stores = &session.stores;
    let is_exec = matches!(surface, Surface::Exec | Surface::ExecLast);
    if matches!(stores.held, Some(Held::ForWriting(_))) {
        return Err(Stop::Waits);
    }
    let is_unread = |fault: Option<&Fault>| matches!(fault, Some(Fault::Unread(_)));
    if is_unread(stores.state.fault()) || stores.sides.iter().any(|side| is_unread(side.opening.fault())) {
        return Err(Stop::Unknown);
    }
    if is_exec {
        return Ok(());
    }
    let mut held = stores.sides.iter().map(|side| &side.held).chain([&stores.held]);
    if surface == Surface::Tui && held.any(|held| matches!(held, Some(Held::Exclusively(_)))) {
        return Err(Stop::Waits);
    }
    if let Some(cause) = fault(stores, &session.home.state_db()) {
        return Err(Stop::Store(cause));
    }
    if is_backfill_running(stores) {
        Err(Stop::Waits)
    } else {
        Ok(())
    }
}

fn is_backfill_running(stores: &Stores) -> bool {
    stores
        .state
        .read()
        .is_some_and(|state| state.backfill.as_deref() == Some("running"))
}

/// True where `exec` goes on without the store, because a SQLite file does not open: it then finds logs by name and
/// cannot show turns.
pub(in crate::agents::codex) fn blinds_exec(stores: &Stores, home: &Home, rules: &Rules) -> bool {
    rules.needs_store
        && (fault(stores, &home.state_db()).is_some()
            || needs_rebuilding(stores)
            || is_backfill_running(stores))
}

/// Why a SQLite file does not open, in the client's words; one that it would make anew is no such fault.
fn fault(stores: &Stores, path: &Path) -> Option<String> {
    if let Some(Held::Exclusively(_)) = stores.held {
        return Some(open_failed("state", path, "(code: 5) database is locked"));
    }
    state_fault(stores, path).or_else(|| stores.sides.iter().find_map(side_fault))
}

fn side_fault(side: &Side) -> Option<String> {
    // The client does without its telemetry.
    if let Some(Held::Exclusively(_)) = side.held.as_ref().filter(|_| side.name != "logs") {
        return Some(open_failed(side.name, &side.path, "(code: 5) database is locked"));
    }
    match &side.opening {
        Opening::Broken(Fault::CannotOpen(_)) if side.name != "logs" => Some(open_failed(
            side.name,
            &side.path,
            "(code: 14) unable to open database file",
        )),
        Opening::Read(applied) => {
            let fault = migrations::of_side(side.name)?.fault(applied.as_deref(), false)?;
            Some(format!(
                "failed to migrate {} DB at {}: {fault}: {fault}",
                side.name,
                side.path.display()
            ))
        }
        Opening::Broken(_) | Opening::Absent => None,
    }
}

/// Why the state database does not open, in the client's words; a database that it would make anew is no such fault.
fn state_fault(stores: &Stores, path: &Path) -> Option<String> {
    match &stores.state {
        Opening::Broken(Fault::CannotOpen(_)) => Some(open_failed(
            "state",
            path,
            "(code: 14) unable to open database file",
        )),
        // Also where the folder of the files is a file itself: that is put aside as well.
        Opening::Broken(_) | Opening::Absent => None,
        Opening::Read(state) => {
            let has_first = state
                .migrations
                .iter()
                .flatten()
                .any(|applied| applied.version == 1);
            if state.has_threads && !has_first {
                return Some(execution_failed(
                    path,
                    1,
                    "(code: 1) table threads already exists",
                ));
            }
            if let Some(fault) = migrations::STATE.fault(state.migrations.as_deref(), state.has_threads) {
                return Some(format!(
                    "failed to migrate state DB at {}: {fault}: {fault}",
                    path.display()
                ));
            }
            if state.is_ahead && !migrations::STATE.is_current(state.migrations.as_deref()) {
                let fault = Known::next(state.migrations.as_deref());
                let words = "(code: 1) index idx_threads_interactive_created_at_ms already exists";
                return Some(execution_failed(path, fault, words));
            }
            let is_migrated = state
                .migrations
                .as_ref()
                .is_some_and(|applied| !applied.is_empty());
            let words = "(code: 1) no such table: threads";
            (is_migrated && !state.has_threads)
                .then(|| format!("error returned from database: {words}: {words}"))
        }
    }
}

fn execution_failed(path: &Path, migration: i64, words: &str) -> String {
    let said = format!("error returned from database: {words}");
    let failed = format!("while executing migration {migration}: {said}");
    let path = path.display();
    format!("failed to migrate state DB at {path}: {failed}: {failed}: {said}: {words}")
}

fn open_failed(name: &str, path: &Path, words: &str) -> String {
    let said = format!("error returned from database: {words}");
    format!(
        "failed to open {name} DB at {}: {said}: {said}: {words}",
        path.display()
    )
}

/// True where a file is damaged so that the app server and the terminal put it aside and begin a new one.
fn needs_rebuilding(stores: &Stores) -> bool {
    let is_damaged = |fault: Option<&Fault>| {
        matches!(
            fault,
            Some(Fault::NotADatabase | Fault::Malformed | Fault::NoFolder)
        )
    };
    is_damaged(stores.state.fault()) || stores.sides.iter().any(|side| is_damaged(side.opening.fault()))
}
