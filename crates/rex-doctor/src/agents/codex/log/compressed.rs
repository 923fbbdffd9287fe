//! The log is packed, and a client that uses the home cannot read it.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.compressed",
        severity: Severity::Warning,
        summary: "the log is packed, and a client that uses the home cannot read it",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

Newer clients pack old logs with zstd and unpack them on resume. Clients of before 0.129 say `stream did not
contain valid UTF-8`.

## How it is recognised

Only a `.jsonl.zst` is there, and the release that is asked about does not read it.

## What still works

Newer clients resume it in full.

## What to do

Unpack it.

## Reports

vm0-ai/vm0 #12137.
";

fn run(session: &Session) -> Verdict {
    let Some(rollout) = session.rollout() else {
        return Verdict::Pass;
    };
    let is_packed = rollout.path.extension().is_some_and(|ending| ending == "zst");
    if !is_packed || session.unpacks {
        return Verdict::Pass;
    }
    let path = rollout.path.display().to_string();
    Verdict::Found(
        Evidence::new(format!("{path} is packed, and this release does not unpack")).remedy(Remedy::command(
            "unpack it",
            ["zstd", "-d", "--rm", &path],
            true,
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
                    "a packed log and an old client",
                    |session| {
                        session.unpacks = false;
                        sample::log(session, |log| log.path = "/x.jsonl.zst".into());
                    },
                    Answer::Found,
                ),
                (
                    "a packed log and a new client",
                    |session| sample::log(session, |log| log.path = "/x.jsonl.zst".into()),
                    Answer::Pass,
                ),
                (
                    "no log",
                    |session| {
                        session.unpacks = false;
                        session.log = None;
                    },
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
