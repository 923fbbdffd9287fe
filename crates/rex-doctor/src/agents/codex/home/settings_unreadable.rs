//! Config.toml keeps the client from starting.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};
use crate::evidence::{Says, Why};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.home.settings_unreadable",
        severity: Severity::Error,
        summary: "config.toml keeps the client from starting",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client reads `config.toml` before anything else and ends where it cannot: a fault in its grammar, a value
of the wrong type, a right that is missing, or the old `profile` key.

## How it is recognised

The file does not parse as TOML, holds a key of another type than the client reads, may not be read, or sets
`profile`.

## What still works

The logs and the store are untouched.

## What to do

Correct the place that is named.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let path = session.home.path.join("config.toml");
    let found = |what: &str| {
        let advice = Remedy::advice("correct the file at the place named");
        Verdict::Found(Evidence::new(format!("{}: {what}", path.display())).remedy(advice))
    };
    match &session.home.config {
        Says::Unreadable(Why::Damaged(words)) => found(words),
        Says::Unreadable(Why::NotPermitted) => found("it may not be read"),
        Says::Unreadable(why) => Verdict::Unknown(format!("{}: {why}", path.display())),
        Says::Read(config) => match &config.legacy_profile {
            Some(name) => found(&format!(
                "`profile = \"{name}\"` is no longer taken; use --profile"
            )),
            None => Verdict::Pass,
        },
        Says::Absent => Verdict::Pass,
    }
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
                    "bad grammar",
                    |session| session.home.config = Says::Unreadable(Why::Damaged("1:1: x".to_owned())),
                    Answer::Found,
                ),
                (
                    "no right to read it",
                    |session| session.home.config = Says::Unreadable(Why::NotPermitted),
                    Answer::Found,
                ),
                (
                    "a folder in its place",
                    |session| session.home.config = Says::Unreadable(Why::IsDirectory),
                    Answer::Unknown,
                ),
                (
                    "none at all",
                    |session| session.home.config = Says::Absent,
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
