//! The argument fits several sessions.

use crate::agents::codex::names::Meant;
use crate::agents::codex::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

/// The check.
pub(in crate::agents::codex) const CHECK: Check<Session> = Check {
    about: About {
        id: "codex.argument.ambiguous",
        severity: Severity::Error,
        summary: "the argument fits several sessions",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "## What it means

More than one session begins with it or has it as its name. `codex exec` takes the newest of that name without
a word.

## How it is recognised

The argument is no whole id and fits several ids, names or titles.

## What still works

Resuming by the whole id.

## What to do

Give the whole id.

## Reports

None are known beyond what the tests against the real client showed.
";

fn run(session: &Session) -> Verdict {
    let Meant::Several(ids) = &session.meant else {
        return Verdict::Pass;
    };
    let evidence = Evidence::new(format!("`{}` fits {} sessions", session.argument, ids.len()));
    let evidence = ids.iter().take(20).fold(evidence, Evidence::line);
    Verdict::Found(evidence.remedy(Remedy::advice("give the whole id")))
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
                    "two sessions",
                    |session| session.meant = Meant::Several(vec!["a".to_owned(), "b".to_owned()]),
                    Answer::Found,
                ),
                ("none", |session| session.meant = Meant::Nothing, Answer::Pass),
                ("a sound session", |_| {}, Answer::Pass),
            ],
        );
    }
}
