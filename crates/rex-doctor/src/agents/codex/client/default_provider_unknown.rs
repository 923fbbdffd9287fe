//! The settings name a provider that they do not define.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.client.default_provider_unknown",
        severity: Severity::Error,
        summary: "the settings name a provider that they do not define",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

`codex exec` and the terminal end at once: `Model provider … not found`. The app server goes on with the
session's own provider.

## How it is recognised

`model_provider` is neither built in nor in `model_providers`.

## What still works

The app server.

## What to do

Correct the name, or define the provider.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let config = session.home.settings();
    if config.knows(config.provider()) {
        return Verdict::Pass;
    }
    let path = session.home.path.join("config.toml");
    Verdict::Found(
        Evidence::new(format!(
            "{} names the provider {} and does not define it",
            path.display(),
            config.provider()
        ))
        .remedy(Remedy::advice("correct model_provider, or define the provider")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::home::config::Config;
    use crate::agents::codex::sample::{self, Answer};

    fn config(text: &str) -> crate::evidence::Says<Config> {
        Config::read(text).map_or(crate::evidence::Says::Absent, crate::evidence::Says::Read)
    }

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "a name without a definition",
                    |session| session.home.config = config("model_provider = \"x\""),
                    Answer::Found,
                ),
                (
                    "settings that do not read",
                    |session| session.home.config = crate::evidence::Says::Absent,
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
