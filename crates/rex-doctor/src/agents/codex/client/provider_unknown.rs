//! The session's model provider is not in the settings.

use crate::agents::codex::client::load::recorded_provider;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.client.provider_unknown",
        severity: Severity::Error,
        summary: "the session's model provider is not in the settings",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

A session keeps the provider that it was begun with. Where that is no longer configured, no surface resumes
it: `This chat uses model provider … which is no longer configured`.

## How it is recognised

The provider in the row, or in the log where there is no row, is neither built in nor in `model_providers`.

## What still works

The conversation is whole.

## What to do

Restore the provider's settings; an entry of the same name with another address will do.

## Reports

openai/codex issues #20165.
";

fn run(session: &Session) -> Verdict {
    let config = session.home.settings();
    let by_log = || {
        session
            .rollout()
            .and_then(|rollout| recorded_provider(session, rollout))
    };
    let by_row = session
        .row()
        .map(|row| row.model_provider.clone())
        .filter(|provider| !provider.is_empty());
    let is_known = session.keeps_provider && session.home.config.why().is_none();
    let Some(provider) = by_row.or_else(by_log).filter(|_| is_known) else {
        return Verdict::Pass;
    };
    if config.knows(&provider) {
        return Verdict::Pass;
    }
    let path = session.home.path.join("config.toml");
    Verdict::Found(
        Evidence::new(format!(
            "the session uses the provider {provider}, which is not in {}",
            path.display()
        ))
        .remedy(Remedy::advice(&format!(
            "put [model_providers.{provider}] back into {}",
            path.display()
        ))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::meta::Head;
    use crate::agents::codex::sample::{self, Answer};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "another provider",
                    |session| sample::row(session, |row| row.model_provider = "gone".to_owned()),
                    Answer::Found,
                ),
                (
                    "no row and a log that names one",
                    |session| {
                        sample::state(session, |state| state.row = None);
                        sample::log(session, |log| {
                            let Head::Meta(meta) = &mut log.head else { return };
                            meta.model_provider = Some("gone".to_owned());
                        });
                    },
                    Answer::Found,
                ),
                (
                    "a built-in one",
                    |session| sample::row(session, |row| row.model_provider = "openai".to_owned()),
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
