//! The last compaction kept no prompt of the person.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};
use crate::evidence::Says;

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.compacted_without_prompt",
        severity: Severity::Warning,
        summary: "the last compaction kept no prompt of the person",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

What the model is to do is no longer among what it sees: the compaction stored a history without any prompt.

## How it is recognised

The last `compacted` record has a `replacement_history` without a message of the person, and there were
prompts before it.

## What still works

Resuming; the model may have forgotten the task.

## What to do

Say again what the task is.

## Reports

openai/codex issues #36642, #31822, #43855.
";

fn run(session: &Session) -> Verdict {
    let Some(log) = &session.log else {
        return Verdict::Pass;
    };
    match &log.count {
        Some(Says::Read(count)) if count.facts.compacted_without_prompt => Verdict::Found(
            Evidence::new("the last compaction kept no prompt of the person")
                .file(&log.path, "the last `compacted` record")
                .remedy(Remedy::advice("say again what the task is")),
        ),
        _ => Verdict::Pass,
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
                    "a compaction to nothing",
                    |session| sample::count(session, |count| count.facts.compacted_without_prompt = true),
                    Answer::Found,
                ),
                (
                    "one that could not be counted",
                    |session| sample::open(session, |log| log.count = None),
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
