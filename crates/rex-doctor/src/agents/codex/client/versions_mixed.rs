//! Clients of before and after numbered logs share the home.

use crate::agents::codex::session::Session;
use crate::agents::codex::store::Row;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};
use crate::version::ClientVersion;

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.client.versions_mixed",
        severity: Severity::Warning,
        summary: "clients of before and after numbered logs share the home",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The older client goes on with numbered sessions and writes records without numbers, behind which the newer one
refuses to write; it makes rows that call numbered logs legacy.

## How it is recognised

A session that a client of before 0.147 began is newer than one that is numbered.

## What still works

Sessions that only one of the two has touched.

## What to do

Use one release per home.

## Reports

openai/codex issues #45150.
";

fn run(session: &Session) -> Verdict {
    let Some(state) = session.state() else {
        return Verdict::Pass;
    };
    // Ids grow with time, so they say which session was begun first.
    let numbered = state
        .newest
        .iter()
        .filter(|row| row.history_mode == "paginated")
        .map(|row| &row.id)
        .min();
    let is_old = |row: &&Row| ClientVersion::parse(&row.cli_version).is_some_and(|version| version < FIRST);
    let older = state
        .newest
        .iter()
        .filter(is_old)
        .find(|row| numbered.is_some_and(|first| row.id > *first));
    match older {
        Some(row) => Verdict::Found(
            Evidence::new(format!(
                "{} was begun by {} after numbered sessions were",
                row.id, row.cli_version
            ))
            .remedy(Remedy::advice("use one release of the client per home")),
        ),
        None => Verdict::Pass,
    }
}

/// The first release whose writers lock a session, which numbers its records.
const FIRST: ClientVersion = ClientVersion::new(0, 147, 0);

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
                    "an old client after a new one",
                    |session| {
                        sample::state(session, |state| {
                            let Some(first) = state.newest.first().cloned() else {
                                return;
                            };
                            state.newest.push(Row {
                                id: "02".to_owned(),
                                cli_version: "0.125.0".to_owned(),
                                history_mode: "legacy".to_owned(),
                                ..first
                            });
                        });
                    },
                    Answer::Found,
                ),
                (
                    "an old client before a new one",
                    |session| {
                        sample::state(session, |state| {
                            let Some(first) = state.newest.first().cloned() else {
                                return;
                            };
                            state.newest.push(Row {
                                id: "00".to_owned(),
                                cli_version: "0.125.0".to_owned(),
                                history_mode: "legacy".to_owned(),
                                ..first
                            });
                        });
                    },
                    Answer::Pass,
                ),
                (
                    "no store",
                    |session| session.stores.state = crate::agents::codex::store::Opening::Absent,
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
