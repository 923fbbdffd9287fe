//! The client may not write into its home.

use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.home.not_writable",
        severity: Severity::Error,
        summary: "the client may not write into its home",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

The client opens its installation id for writing before anything else, and ends where it may not: `failed to
initialize in-process app-server client: Permission denied`.

## How it is recognised

Mode or owner of `installation_id`, or of the home where there is none yet, forbid writing.

## What still works

The logs may still be readable for another tool.

## What to do

Give the home back to its user. `sudo codex` leaves files of root behind.

## Reports

openai/codex issues #34124. hivecommons/hive #1954.
";

fn run(session: &Session) -> Verdict {
    let Some(words) = session.cannot_start else {
        return Verdict::Pass;
    };
    let path = &session.home.path;
    Verdict::Found(
        Evidence::new(format!("{} may not be written", path.display()))
            .file(&path.join("installation_id"), words)
            .remedy(Remedy::command(
                "give it back to its user",
                ["chmod", "-R", "u+rwX", &path.display().to_string()],
                false,
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
                    "a home of another user",
                    |session| session.cannot_start = Some("Permission denied (os error 13)"),
                    Answer::Found,
                ),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
