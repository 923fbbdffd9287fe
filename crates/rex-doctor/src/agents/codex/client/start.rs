//! What can stop the client before it looks at any session: its home, its settings, its SQLite files.

use std::path::Path;

use super::stop::Stop;
use super::{Rules, Surface};
use crate::agents::codex::home::{Folder, Home, Selected};
use crate::agents::codex::migrations;
use crate::agents::codex::session::{Held, Session, Stores};
use crate::agents::codex::store::{Fault, Opening};
use crate::evidence::{Says, Why};

/// Starts the client.
pub(super) fn client(session: &Session, surface: Surface, rules: &Rules) -> Result<(), Stop> {
    home(&session.home)?;
    settings(&session.home)?;
    if rules.numbers_records && !session.can_start {
        return Err(Stop::NotPermitted);
    }
    let config = session.home.settings();
    if surface != Surface::AppServer && !config.knows(config.provider()) {
        return Err(Stop::DefaultProvider(config.provider().to_owned()));
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
    let fault = match home.folder {
        Folder::Directory => return Ok(()),
        Folder::Missing => "that path does not exist",
        Folder::NotDirectory => "that path is not a directory",
    };
    Err(Stop::Home(format!(
        "CODEX_HOME points to \"{value}\", but {fault}"
    )))
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
    match &home.config {
        Says::Unreadable(Why::Damaged(words)) => stop(
            "Error loading config.toml:",
            format!("{}:{words}", path.display()),
            Some("Error: loading config.toml:".to_owned()),
        ),
        Says::Unreadable(Why::NotPermitted) => {
            let words = format!(
                "Failed to read config file {}: Permission denied (os error 13)",
                path.display()
            );
            stop(
                &format!("Error loading config.toml: {words}"),
                words.clone(),
                Some(format!("Error: {words}")),
            )
        }
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

fn stores(session: &Session, surface: Surface) -> Result<(), Stop> {
    let stores = &session.stores;
    let path = session.home.state_db();
    let is_exec = matches!(surface, Surface::Exec | Surface::ExecLast);
    match &stores.held {
        Some(Held::Exclusively(_)) if surface == Surface::Tui => return Err(Stop::Waits),
        Some(Held::Exclusively(_)) => {
            return Err(Stop::Store(Some(open_failed(
                &path,
                "(code: 5) database is locked",
            ))));
        }
        Some(Held::ForWriting(_)) => return Err(Stop::Waits),
        None => {}
    }
    if stores.sides.iter().any(|side| side.held.is_some()) {
        return Err(Stop::Waits);
    }
    if let Some(cause) = state_fault(stores, &path) {
        return Err(Stop::Store(Some(cause)));
    }
    if is_exec && needs_rebuilding(stores) {
        return Err(Stop::Store(None));
    }
    let is_unread = |opening: &Opening<()>| matches!(opening.fault(), Some(Fault::Unread(_)));
    if matches!(stores.state.fault(), Some(Fault::Unread(_)))
        || stores.sides.iter().any(|side| is_unread(&side.opening))
    {
        return Err(Stop::Unknown);
    }
    if stores
        .state
        .read()
        .is_some_and(|state| state.backfill.as_deref() == Some("running"))
    {
        return Err(Stop::WaitsForStart);
    }
    Ok(())
}

/// Why the state database does not open, in the client's words; a database that it would make anew is no such fault.
fn state_fault(stores: &Stores, path: &Path) -> Option<String> {
    match &stores.state {
        Opening::Broken(Fault::CannotOpen(_)) => {
            Some(open_failed(path, "(code: 14) unable to open database file"))
        }
        Opening::Broken(_) | Opening::Absent => None,
        Opening::Read(state) => {
            if let Some(fault) = migrations::STATE.fault(state.migrations.as_deref(), state.has_threads) {
                return Some(format!(
                    "failed to migrate state DB at {}: {fault}: {fault}",
                    path.display()
                ));
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

fn open_failed(path: &Path, words: &str) -> String {
    let said = format!("error returned from database: {words}");
    format!(
        "failed to open state DB at {}: {said}: {said}: {words}",
        path.display()
    )
}

/// True where a file is damaged so that the app server and the terminal put it aside and begin a new one.
pub(in crate::agents::codex) fn needs_rebuilding(stores: &Stores) -> bool {
    let is_damaged = |fault: Option<&Fault>| matches!(fault, Some(Fault::NotADatabase | Fault::Malformed));
    is_damaged(stores.state.fault()) || stores.sides.iter().any(|side| is_damaged(side.opening.fault()))
}
