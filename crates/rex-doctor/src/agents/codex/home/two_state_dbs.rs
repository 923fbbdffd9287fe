//! Two state databases lie over one tree of logs.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.home.two_state_dbs",
        severity: Severity::Warning,
        summary: "two state databases lie over one tree of logs",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The desktop application has kept its state database in `sqlite/` below the home, the command line keeps its
own in the home. Each has its own rows, so a session may be listed in one and not in the other.

## How it is recognised

Both `<CODEX_HOME>/sqlite/state_5.sqlite` and the state database that the asked client uses are there.

## What still works

The client that is asked uses the one named first.

## What to do

Nothing, as long as both run the same release. Ask the client that began the session.

## Reports

openai/codex issues #28087. farion1231/cc-switch #4289.
";

fn run(session: &Session) -> Verdict {
    let Some(second) = &session.stores.second else {
        return Verdict::Pass;
    };
    let own = session.home.state_db();
    Verdict::Found(
        Evidence::new(format!(
            "the asked client uses {}; {} lies over the same logs",
            own.display(),
            second.display()
        ))
        .remedy(Remedy::advice("ask the client that began the session")),
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
                    "a second one",
                    |session| session.stores.second = Some("/h/.codex/sqlite/state_5.sqlite".into()),
                    Answer::Found,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
