//! The state database does not open.

use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::agents::codex::store::Fault;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.store.unreadable",
        severity: Severity::Error,
        summary: "the state database does not open",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

`codex exec` prints `list_turns is not supported yet`, which says nothing about the cause. The app server and
the terminal put a damaged database aside and make a new one; they end with the cause where the file may not
be opened.

## How it is recognised

Its bytes are no database (code 26) or do not hang together (code 11), or mode, owner or kind of the file keep
the client from opening it (code 14).

## What still works

The logs are whole; sessions without numbered records resume also with `codex exec`.

## What to do

Move the state database aside: it is made again from the logs. Where rights are missing, give them.

## Reports

openai/codex issues #24006, #24030, #21750, #40652.
";

fn run(session: &Session) -> Verdict {
    let path = session.home.state_db();
    let (what, remedy) = match session.stores.state.fault() {
        None => return Verdict::Pass,
        Some(Fault::Unread(why)) => return Verdict::Unknown(format!("{}: {why}", path.display())),
        Some(Fault::NotADatabase) => (
            "it is no database (code 26)".to_owned(),
            remedy::aside(&path, ASIDE, true),
        ),
        Some(Fault::Malformed) => (
            "its pages do not hang together (code 11)".to_owned(),
            remedy::aside(&path, ASIDE, true),
        ),
        Some(Fault::NoFolder) => (
            "its folder is a file".to_owned(),
            Remedy::advice("correct sqlite_home or CODEX_SQLITE_HOME"),
        ),
        Some(Fault::CannotOpen(why)) => (
            format!("it cannot be opened: {why} (code 14)"),
            remedy::permit(&path, "u+rw", false),
        ),
    };
    Verdict::Found(Evidence::new(format!("{}: {what}", path.display())).remedy(remedy))
}

const ASIDE: &str = "move the state database aside; it is made again from the logs";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::sample::{self, Answer};
    use crate::agents::codex::store::Opening;

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "no database",
                    |session| session.stores.state = Opening::Broken(Fault::NotADatabase),
                    Answer::Found,
                ),
                (
                    "pages that do not hang together",
                    |session| session.stores.state = Opening::Broken(Fault::Malformed),
                    Answer::Found,
                ),
                (
                    "no right to read it",
                    |session| {
                        session.stores.state =
                            Opening::Broken(Fault::CannotOpen("permission denied".to_owned()));
                    },
                    Answer::Found,
                ),
                (
                    "one that the doctor could not read",
                    |session| session.stores.state = Opening::Broken(Fault::Unread("x".to_owned())),
                    Answer::Unknown,
                ),
                (
                    "none at all",
                    |session| session.stores.state = Opening::Absent,
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
