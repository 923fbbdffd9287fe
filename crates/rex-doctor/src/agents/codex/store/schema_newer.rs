//! The store has migrations that no known release has.

use crate::agents::codex::migrations;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.store.schema_newer",
        severity: Severity::Info,
        summary: "the store has migrations that no known release has",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

A newer client has opened the store. The one that is asked goes on with it.

## How it is recognised

The newest number in `_sqlx_migrations` is higher than that of the newest release that is known.

## What still works

Everything that was tried.

## What to do

Nothing.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let Some(state) = session.state() else {
        return Verdict::Pass;
    };
    match migrations::STATE.newer(state.migrations.as_deref().unwrap_or_default()) {
        Some(version) => Verdict::Found(Evidence::new(format!(
            "the store is at migration {version}, newer than any known release"
        ))),
        None => Verdict::Pass,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::codex::sample::{self, Answer};
    use crate::agents::codex::store::{Migration, Opening};

    #[test]
    fn it_is_told_from_what_is_sound_and_from_what_cannot_be_read() {
        sample::answers(
            run,
            &[
                (
                    "a newer one",
                    |session| {
                        sample::state(session, |state| {
                            state.migrations = Some(vec![Migration {
                                version: 9999,
                                success: true,
                                checksum: vec![],
                            }]);
                        });
                    },
                    Answer::Found,
                ),
                (
                    "a store that does not open",
                    |session| session.stores.state = Opening::Absent,
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
