//! The settings name another provider than the session's.

use crate::agents::codex::client::load::recorded_provider;
use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.client.provider_differs",
        severity: Severity::Error,
        summary: "the settings name another provider than the session's",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

`codex exec` refuses to resume a session under another default provider: `Cannot change this thread's model
provider`. `--last` does not see it and silently starts anew. The terminal and the app server resume it with
its own provider.

## How it is recognised

The provider in the row, or in the log, is configured and is not the default.

## What still works

The terminal and the app server.

## What to do

Name the session's provider for this call.

## Reports

openai/codex issues #19318, #9054.
";

fn run(session: &Session) -> Verdict {
    let config = session.home.settings();
    let Some(rollout) = session.rollout().filter(|_| session.keeps_provider) else {
        return Verdict::Pass;
    };
    let Some(provider) = recorded_provider(session, rollout) else {
        return Verdict::Pass;
    };
    if !config.knows(&provider) || provider == config.provider() {
        return Verdict::Pass;
    }
    let id = session.thread().unwrap_or_default();
    let setting = format!("model_provider={provider}");
    Verdict::Found(
        Evidence::new(format!(
            "the session uses {provider}, the settings name {}",
            config.provider()
        ))
        .remedy(Remedy::command(
            "name its provider",
            [
                "codex",
                "exec",
                remedy::SKIP,
                "-c",
                &setting,
                "resume",
                id,
                "go on",
            ],
            true,
        )),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::sample::{self, Answer};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "another default",
                    |session| sample::row(session, |row| row.model_provider = "openai".to_owned()),
                    Answer::Found,
                ),
                (
                    "one that is not configured",
                    |session| sample::row(session, |row| row.model_provider = "gone".to_owned()),
                    Answer::Pass,
                ),
                ("no log", |session| session.log = None, Answer::Pass),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
