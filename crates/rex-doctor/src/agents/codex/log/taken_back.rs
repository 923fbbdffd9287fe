//! Less is carried on purpose.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};
use crate::evidence::Says;

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.taken_back",
        severity: Severity::Info,
        summary: "less is carried on purpose",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The person took turns back, or the conversation was compacted: the next request carries less than was once
said, and that is meant.

## How it is recognised

The log holds `thread_rolled_back` or `compacted`.

## What still works

Everything.

## What to do

Nothing.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let Some(Says::Read(count)) = session.log.as_ref().and_then(|log| log.count.as_ref()) else {
        return Verdict::Pass;
    };
    let facts = &count.facts;
    if facts.rolled_back == 0 && facts.compactions == 0 {
        return Verdict::Pass;
    }
    let (turns, compactions) = (facts.rolled_back, facts.compactions);
    Verdict::Found(Evidence::new(format!(
        "{turns} turns were taken back and {compactions} compactions made: {} messages are carried on",
        count.loaded.sum()
    )))
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
                    "a turn that was taken back",
                    |session| sample::count(session, |count| count.facts.rolled_back = 1),
                    Answer::Found,
                ),
                (
                    "a compaction",
                    |session| sample::count(session, |count| count.facts.compactions = 1),
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
