//! A log that the fork goes on from is missing or cut.

use crate::agents::codex::lineage::Broken;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.lineage_broken",
        severity: Severity::Error,
        summary: "a log that the fork goes on from is missing or cut",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

A fork does not copy its earlier turns: it names the rollout that holds them. Without that file the fork does
not resume: `invalid paginated history lineage for <the parent's id>`, `failed to read lineage metadata`.

## How it is recognised

A file on the chain of `history_base` is missing, cannot be read, does not begin with its first record, ends
before the place where the fork goes on, or leads back into the chain.

## What still works

The fork's own turns are in its own file.

## What to do

Restore the file of the thread that is named; its row does not matter, and it may be archived.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let Some(log) = &session.log else {
        return Verdict::Pass;
    };
    let what = match &log.lineage.broken {
        None => return Verdict::Pass,
        Some(Broken::Missing(parent)) => format!("the log of {parent}, from which it goes on, is nowhere"),
        Some(Broken::Cycle) => "it leads back into itself".to_owned(),
        Some(Broken::TooLong) => "it has more than 128 parts".to_owned(),
        Some(Broken::Invalid(words)) => (*words).to_owned(),
        Some(Broken::Head(path, _)) => format!("{} does not begin with its first record", path.display()),
        Some(Broken::Unreadable(path, why)) => format!("{}: {why}", path.display()),
        Some(Broken::Cut(path)) => format!("{} ends before the place where the fork goes on", path.display()),
    };
    let advice = Remedy::advice("restore the file of the thread that is named, under a rollout's name");
    Verdict::Found(
        Evidence::new(what)
            .at(&log.path, 0, "history_base in the first record")
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
                    "a parent that is nowhere",
                    |session| {
                        sample::open(session, |log| {
                            log.lineage.broken = Some(Broken::Missing("x".to_owned()));
                        });
                    },
                    Answer::Found,
                ),
                (
                    "a parent that was cut",
                    |session| {
                        sample::open(session, |log| log.lineage.broken = Some(Broken::Cut("/p".into())));
                    },
                    Answer::Found,
                ),
                (
                    "a parent that may not be read",
                    |session| {
                        sample::open(session, |log| {
                            log.lineage.broken = Some(Broken::Unreadable(
                                "/p".into(),
                                crate::evidence::Why::NotPermitted,
                            ));
                        });
                    },
                    Answer::Found,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
