//! CODEX_HOME names a folder that is not there.

use crate::agents::codex::home::{Folder, Selected};
use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.home.no_such_folder",
        severity: Severity::Error,
        summary: "CODEX_HOME names a folder that is not there",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client ends at once with `Error finding codex home`. It never falls back to the default home, so every
session seems lost.

## How it is recognised

`CODEX_HOME` is set and not empty, and no folder lies at its value. The value is taken as it is: a tilde is
not expanded.

## What still works

Nothing in this environment. With the variable corrected or unset, everything.

## What to do

Correct the variable, or unset it to use `~/.codex`.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let Selected::Variable(value) = &session.home.selected else {
        return Verdict::Pass;
    };
    if session.home.folder == Folder::Directory {
        return Verdict::Pass;
    }
    let evidence = Evidence::new(format!("CODEX_HOME is {value}, and no folder lies there"));
    Verdict::Found(match session.other_homes.first() {
        Some(other) => evidence
            .line(format!("a home lies at {}", other.display()))
            .remedy(Remedy::command(
                "name the home that is there",
                [
                    "env",
                    &format!("CODEX_HOME={}", other.display()),
                    "codex",
                    "exec",
                    remedy::SKIP,
                    "resume",
                    &session.argument,
                    "go on",
                ],
                true,
            )),
        None => evidence.remedy(Remedy::advice("correct CODEX_HOME, or unset it")),
    })
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
                    "a variable that leads nowhere",
                    |session| {
                        session.home.selected = Selected::Variable("/x".to_owned());
                        session.home.folder = Folder::Missing;
                    },
                    Answer::Found,
                ),
                (
                    "a file in its place",
                    |session| {
                        session.home.selected = Selected::Variable("/x".to_owned());
                        session.home.folder = Folder::NotDirectory;
                    },
                    Answer::Found,
                ),
                (
                    "no variable and no home yet",
                    |session| session.home.folder = Folder::Missing,
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
