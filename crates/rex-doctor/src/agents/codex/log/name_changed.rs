//! The log has a name that the client does not see.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.name_changed",
        severity: Severity::Error,
        summary: "the log has a name that the client does not see",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client finds logs by names of the form `rollout-<time>-<id>.jsonl`. A file of any other name is invisible
to it, whatever it holds.

## How it is recognised

A `.jsonl` file of another name in the folders of logs has the session's id in its first record, and no file
has it in its name.

## What still works

The file itself is whole.

## What to do

Rename it back.

## Reports

openai/codex issues #20317. vm0-ai/vm0 #16125.
";

fn run(session: &Session) -> Verdict {
    let (Some(stranger), Some(id)) = (&session.stranger, session.thread()) else {
        return Verdict::Pass;
    };
    let back = session.row().map_or_else(
        || stranger.with_file_name(format!("rollout-2000-01-01T00-00-00-{id}.jsonl")),
        |row| row.rollout_path.clone(),
    );
    let (from, to) = (stranger.display().to_string(), back.display().to_string());
    Verdict::Found(
        Evidence::new(format!(
            "the log of {id} is {from}, a name that the client does not see"
        ))
        .at(stranger, 0, "its first record names this session")
        .remedy(Remedy::command("rename it back", ["mv", &from, &to], true)),
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
                    "another name",
                    |session| session.stranger = Some("/h/.codex/sessions/2026/11/30/mine.jsonl".into()),
                    Answer::Found,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
