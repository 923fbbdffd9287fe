//! The log lies outside the folders of days.

use crate::agents::codex::log::Spot;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.log.out_of_tree",
        severity: Severity::Error,
        summary: "the log lies outside the folders of days",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

Listings look only into `sessions/YYYY/MM/DD`. A log elsewhere below `sessions` is found by id where no row
says otherwise, and is never listed.

## How it is recognised

A file of the session lies below `sessions`, not in the folder of a day, and the row does not name it.

## What still works

Resuming by id once the row is right or gone.

## What to do

Move it into the folder of its day.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let Some(id) = session.thread() else {
        return Verdict::Pass;
    };
    let loose = session.files.of(id).find(|file| file.spot == Spot::Loose);
    let Some(file) = loose.filter(|file| session.row().is_none_or(|row| row.rollout_path != file.path))
    else {
        return Verdict::Pass;
    };
    let name = file
        .path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let day = name.get(8..18).unwrap_or_default().replace('-', "/");
    let folder = session.home.path.join("sessions").join(day);
    let (from, to) = (file.path.display().to_string(), folder.display().to_string());
    let script = "mkdir -p \"$2\" && mv \"$1\" \"$2/\"";
    let found = Evidence::new(format!("{from} lies outside the folders of days")).remedy(Remedy::command(
        "move it into the folder of its day",
        ["sh", "-c", script, "sh", &from, &to],
        true,
    ));
    let is_reached = session.row().is_none() && session.files.by_name(id) == Some(file);
    Verdict::Found(if is_reached {
        found.severity(Severity::Warning)
    } else {
        found
    })
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
                    "a file directly below sessions",
                    |session| {
                        session.files.rollouts = vec![sample::file(
                            "/h/.codex/sessions/rollout-2026-11-30T10-39-05-01a22c09-6eb9-73e1-86db-ba552739e67c.jsonl",
                            Spot::Loose,
                        )];
                    },
                    Answer::Found,
                ),
                (
                    "one that the row names",
                    |session| session.files.rollouts = vec![sample::file(sample::LOG, Spot::Loose)],
                    Answer::Pass,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
