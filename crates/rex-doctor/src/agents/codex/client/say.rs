//! How each surface says why it stops.

use super::stop::Stop;
use super::{Rules, Surface};
use crate::agents::codex::session::Session;
use crate::forecast::Forecast;

/// The forecast of a client that stops.
pub(super) fn refusal(session: &Session, surface: Surface, rules: &Rules, stop: &Stop) -> Forecast {
    let name = surface.name();
    match stop {
        Stop::Unknown => Forecast::unknown(name),
        Stop::Waits => Forecast::hangs(name),
        _ => Forecast::refuses(name, message(session, surface, rules, stop)),
    }
}

fn message(session: &Session, surface: Surface, rules: &Rules, stop: &Stop) -> Option<String> {
    match surface {
        Surface::Exec | Surface::ExecLast => exec(session, rules, stop),
        Surface::AppServer => app_server(session, stop),
        Surface::Tui => tui(session, rules, stop),
    }
}

/// What the server says about one thread, with its code and what follows it.
fn said(session: &Session, stop: &Stop) -> Option<(String, i32, String)> {
    let id = session.thread().unwrap_or_default();
    let plain = |text: String, code| Some((text, code, String::new()));
    match stop {
        Stop::Thread { said, code, .. } => plain(said.clone(), *code),
        Stop::Archived => plain(
            format!("session {id} is archived. Run `codex unarchive {id}` to unarchive it first."),
            -32600,
        ),
        Stop::ActiveWriter => plain(format!("thread {id} already has an active writer"), -32600),
        Stop::ProviderUnknown(provider) => Some((
            provider_unknown(provider),
            -32600,
            format!(", data: {{\"type\":\"modelProviderNotConfigured\",\"modelProvider\":\"{provider}\"}}"),
        )),
        _ => None,
    }
}

fn provider_unknown(provider: &str) -> String {
    format!(
        "This chat uses model provider \u{201c}{provider}\u{201d}, which is no longer configured. Restore this provider\u{2019}s configuration to continue."
    )
}

fn exec(session: &Session, rules: &Rules, stop: &Stop) -> Option<String> {
    Some(match stop {
        Stop::Home(words) => format!("Error finding codex home: {words}"),
        Stop::Settings { exec, .. } => exec.clone(),
        Stop::DefaultProvider(provider) => format!("Error: Model provider `{provider}` not found"),
        Stop::CannotStart(words) => {
            format!("Error: failed to initialize in-process app-server client: {words}")
        }
        Stop::ListingRefused(words) => listing(&format!("failed to list threads: {words}")),
        Stop::ListingUnavailable => listing("state DB unavailable for filtered thread listing"),
        _ => {
            let (said, code, data) = said(session, stop)?;
            let code = if rules.says_codes {
                format!(" (code {code}){data}")
            } else {
                String::new()
            };
            format!("Error: thread/resume: thread/resume failed: {said}{code}")
        }
    })
}

fn listing(words: &str) -> String {
    format!(
        "Error: thread/list: thread/list failed: failed to list threads: thread-store internal error: {words} (code -32603)"
    )
}

fn app_server(session: &Session, stop: &Stop) -> Option<String> {
    match stop {
        Stop::Home(words) => Some(format!("Error: {words}")),
        Stop::Settings { app_server, .. } => Some(app_server.clone()),
        Stop::CannotStart(words) => Some(format!("Error: {words}")),
        Stop::Store(cause) => {
            let home = session.home.sqlite_folder.display();
            Some(format!(
                "Error: failed to initialize sqlite state runtime under {home}: failed to initialize state runtime at {home}: {cause}"
            ))
        }
        _ => said(session, stop).map(|(said, _, _)| said),
    }
}

fn tui(session: &Session, rules: &Rules, stop: &Stop) -> Option<String> {
    match stop {
        Stop::Settings { tui, .. } => tui.clone(),
        Stop::CannotStart(words) => Some(format!("Error: {words}")),
        Stop::Archived => Some("This conversation is archived".to_owned()),
        Stop::ActiveWriter => Some("This conversation is open in another app".to_owned()),
        Stop::Store(cause) => Some(format!(
            "ERROR: failed to initialize sqlite local db at {}: failed to initialize state runtime at {}: {cause}",
            session.home.state_db().display(),
            session.home.sqlite_folder.display()
        )),
        Stop::Thread { is_lookup: true, .. } => Some(format!(
            "ERROR: No saved session found with ID {}. Run `codex resume` without an ID to choose from existing sessions.",
            session.argument
        )),
        Stop::ProviderUnknown(_) => said(session, stop).map(|(said, code, data)| {
            format!("Error: account/gatewayOAuth/read failed: {said} (code {code}){data}")
        }),
        Stop::Thread {
            said,
            code,
            is_lookup: false,
        } => {
            let path = session.row().map(|row| row.rollout_path.as_path());
            let path = path.or(session.log.as_ref().map(|log| log.path.as_path()));
            let path = path.map(|path| path.display().to_string()).unwrap_or_default();
            let failed = format!("Error: Failed to resume session from {path}");
            if !rules.says_codes {
                return Some(failed);
            }
            Some(format!(
                "{failed}: thread/resume failed during TUI bootstrap: thread/resume failed: {said} (code {code})"
            ))
        }
        _ => None,
    }
}
