//! The built-in provider is the default and nobody is signed in.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.client.not_signed_in",
        severity: Severity::Warning,
        summary: "the built-in provider is the default and nobody is signed in",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The terminal first asks to sign in and does not get to the session; a request of the others fails.

## How it is recognised

The default provider is `openai`, there is no `auth.json`, and neither `OPENAI_API_KEY` nor `CODEX_API_KEY` is
set.

## What still works

The app server resumes sessions of other providers.

## What to do

Sign in, or name another provider.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    if !session.asks_to_sign_in {
        return Verdict::Pass;
    }
    let path = session.home.path.join("auth.json");
    Verdict::Found(
        Evidence::new("nobody is signed in with the default provider, openai")
            .file(&path, "is not there")
            .remedy(Remedy::command("sign in", ["codex", "login"], false)),
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
                    "nobody signed in",
                    |session| session.asks_to_sign_in = true,
                    Answer::Found,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
