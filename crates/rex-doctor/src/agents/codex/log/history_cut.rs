//! Messages of the log are torn or missing.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};
use crate::evidence::Says;

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.history_cut",
        severity: Severity::Error,
        summary: "messages of the log are torn or missing",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The session resumes without a word and with a smaller memory: the next request carries fewer messages than
there were.

## How it is recognised

A prompt or a reply is proven by a torn line, by an event, by the text in the record that ends its turn, by a
gap in the numbers or by the projection, and its item does not read.

## What still works

Whatever is still there is carried.

## What to do

Restore the file from a backup, or tell the model again what is lost.

## Reports

openai/codex issues #24425, #6950.
";

fn run(session: &Session) -> Verdict {
    let Some(log) = &session.log else {
        return Verdict::Pass;
    };
    match &log.count {
        Some(Says::Read(_)) => {}
        Some(Says::Unreadable(why)) => return Verdict::Unknown(format!("{}: {why}", log.path.display())),
        Some(Says::Absent) | None => return Verdict::Pass,
    }
    let (Some(lost), Some(recorded)) = (session.lost(log), session.recorded(log)) else {
        return Verdict::Pass;
    };
    if lost == 0 {
        return Verdict::Pass;
    }
    Verdict::Found(
        Evidence::new(format!(
            "{lost} of {} messages are torn or missing",
            recorded.sum()
        ))
        .file(
            &log.path,
            &format!(
                "{} prompts and {} replies are proven",
                recorded.prompts, recorded.replies
            ),
        )
        .remedy(Remedy::advice(
            "restore the file from a backup, or tell the model again what is lost",
        )),
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
                    "a reply that is lost",
                    |session| sample::count(session, |count| count.reachable.replies = 0),
                    Answer::Found,
                ),
                (
                    "a log that was cut",
                    |session| {
                        sample::log(session, |log| log.bytes = 500);
                        sample::count(session, |count| {
                            *count = crate::agents::codex::conversation::Count::default();
                        });
                    },
                    Answer::Found,
                ),
                (
                    "one that could not be counted",
                    |session| sample::open(session, |log| log.count = Some(Says::Absent)),
                    Answer::Pass,
                ),
                (
                    "a turn that was taken back",
                    |session| {
                        sample::count(session, |count| {
                            count.reachable.replies = 0;
                            count.taken_back.replies = 1;
                        });
                    },
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
