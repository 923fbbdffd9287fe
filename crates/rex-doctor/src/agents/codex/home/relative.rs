//! CODEX_HOME is relative: every working folder has another home.

use crate::agents::codex::home::{Folder, Selected};
use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.home.relative",
        severity: Severity::Warning,
        summary: "CODEX_HOME is relative: every working folder has another home",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The same value names another home in another folder, so a session that was begun in one folder is not found
from the next.

## How it is recognised

`CODEX_HOME` is set and does not begin with a slash, and from the working folder it leads to a home.

## What still works

Resuming from the same working folder.

## What to do

Set `CODEX_HOME` to the absolute path.

## Reports

openai/codex issues #5412.
";

fn run(session: &Session) -> Verdict {
    match &session.home.selected {
        Selected::Variable(value) if !value.starts_with('/') && session.home.folder == Folder::Directory => {
            let path = session.home.path.display();
            let evidence = Evidence::new(format!(
                "CODEX_HOME is {value}, which means {path} from here alone"
            ));
            Verdict::Found(evidence.remedy(Remedy::command(
                "name the home by its absolute path",
                [
                    "env",
                    &format!("CODEX_HOME={path}"),
                    "codex",
                    "exec",
                    remedy::SKIP,
                    "resume",
                    &session.argument,
                    "go on",
                ],
                true,
            )))
        }
        Selected::Variable(_) | Selected::Default => Verdict::Pass,
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
                    "a relative variable",
                    |session| session.home.selected = Selected::Variable("../h".to_owned()),
                    Answer::Found,
                ),
                (
                    "an absolute one",
                    |session| session.home.selected = Selected::Variable("/h/.codex".to_owned()),
                    Answer::Pass,
                ),
                (
                    "one that leads nowhere",
                    |session| {
                        session.home.selected = Selected::Variable("x".to_owned());
                        session.home.folder = Folder::Missing;
                    },
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
