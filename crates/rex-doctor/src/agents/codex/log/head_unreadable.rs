//! The log does not begin with its `session_meta`.

use crate::agents::codex::meta::{First, Head};
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.head_unreadable",
        severity: Severity::Error,
        summary: "the log does not begin with its session_meta",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client reads the first record before anything else. Without a readable `session_meta` there it refuses
with `failed to read session metadata`; with one that is not the very first line, it finds the session and
then fails to open it for writing. The terminal says only `No saved session found`.

## How it is recognised

The file is empty, or its first record does not parse, or something else comes before `session_meta`.

## What still works

The records after it are whole.

## What to do

Put a first line back. `id`, `timestamp`, `cwd`, `originator` and `cli_version` are enough; `history_mode`
must be what it was.

## Reports

openai/codex issues #38613, #24425, #6950. catatafishen/agentbridge #40.
";

fn run(session: &Session) -> Verdict {
    let Some(rollout) = session.rollout() else {
        return Verdict::Pass;
    };
    let what = match (&rollout.head, &rollout.first) {
        _ if rollout.is_pre_envelope => return Verdict::Pass,
        (Head::UnknownMode(_), _) | (Head::Meta(_), First::Meta) => return Verdict::Pass,
        (Head::Empty, _) => "it holds no record".to_owned(),
        (Head::OtherFirst, _) => "what the model sees begins before any session_meta".to_owned(),
        (Head::NotUtf8, _) => "its first record is not UTF-8".to_owned(),
        (Head::NotUnpacked(words), _) => format!("it does not unpack: {words}"),
        (Head::Meta(_), First::Other | First::Nothing) => {
            "session_meta is there, but is not the first line".to_owned()
        }
        (Head::Meta(_), First::Unparsable(words)) => format!("its first line does not parse: {words}"),
    };
    let advice =
        Remedy::advice("put a session_meta line back as the first line, or restore the file from a backup");
    Verdict::Found(
        Evidence::new(format!("{}: {what}", rollout.path.display()))
            .at(&rollout.path, 0, &what)
            .remedy(advice),
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
                    "an empty file",
                    |session| sample::log(session, |log| log.head = Head::Empty),
                    Answer::Found,
                ),
                (
                    "a misplaced first record",
                    |session| sample::log(session, |log| log.first = First::Other),
                    Answer::Found,
                ),
                (
                    "a garbled first line",
                    |session| sample::log(session, |log| log.first = First::Unparsable("x".to_owned())),
                    Answer::Found,
                ),
                (
                    "a mode that is not known",
                    |session| sample::log(session, |log| log.head = Head::UnknownMode("x".to_owned())),
                    Answer::Pass,
                ),
                (
                    "a log that may not be read",
                    |session| sample::open(session, |log| log.rollout = crate::evidence::Says::Absent),
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
