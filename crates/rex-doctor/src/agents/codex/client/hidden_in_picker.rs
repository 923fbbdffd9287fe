//! The picker does not show the session.

use crate::agents::codex::remedy;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.client.hidden_in_picker",
        severity: Severity::Info,
        summary: "the picker does not show the session",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The picker of the terminal shows sessions with a first prompt that the person began. Whether it shows one says
nothing about whether it resumes.

## How it is recognised

The row has no preview, or its source is a subagent.

## What still works

Resuming by id.

## What to do

Resume by the id.

## Reports

openai/codex issues #19573, #22517, #22557, #27340.
";

fn run(session: &Session) -> Verdict {
    let Some(row) = session.row() else {
        return Verdict::Pass;
    };
    let what = match () {
        () if row.preview.is_empty() => "its row has no first prompt",
        () if row.source.contains("subagent") => "a subagent began it",
        () => return Verdict::Pass,
    };
    let evidence = Evidence::new(format!("the picker does not show {}: {what}", row.id));
    Verdict::Found(evidence.remedy(remedy::by_id(&row.id, "resume it by its id", true)))
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
                    "no preview",
                    |session| sample::row(session, |row| row.preview.clear()),
                    Answer::Found,
                ),
                (
                    "a subagent",
                    |session| sample::row(session, |row| row.source = "{\"subagent\":\"review\"}".to_owned()),
                    Answer::Found,
                ),
                (
                    "no row",
                    |session| sample::state(session, |state| state.row = None),
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
