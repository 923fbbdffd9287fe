//! A path to a log that is not there.

use crate::agents::claude::client::Meaning;
use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.argument.no_such_file",
        severity: Severity::Error,
        summary: "the path names no file",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

A path that ends with .jsonl is taken for a log. Where it is not there the client says that no conversation
was found, with an id that it has just made up.

## How it is recognised

The argument ends with .jsonl and no file is there.

## What still works

The session, by its id.

## What to do

Correct the path.

## Reports

None; seen on 2.1.332 and 2.1.197.
";

fn run(session: &Session) -> Verdict {
    let Meaning::Path(path) = &session.meaning else {
        return Verdict::Pass;
    };
    let is_given = session.log.as_ref().is_some_and(|(log, _)| {
        log.ends_with(path.trim_start_matches("./")) || log.to_string_lossy() == *path
    });
    if session.resumes() || is_given {
        return Verdict::Pass;
    }
    Verdict::Found(
        Evidence::new(format!("{path} is not there"))
            .remedy(Remedy::advice("correct the path, or give the id")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                {
                    let mut session = Session::healthy().without_log();
                    session.meaning = Meaning::Path("/x.jsonl".to_owned());
                    session
                },
                true,
                "the fault",
            ),
            (Session::healthy(), false, "a healthy session"),
            (
                Session::healthy().with_unreadable_log(),
                false,
                "a log that cannot be read",
            ),
        ] {
            assert_eq!(matches!(run(&session), Verdict::Found(_)), is_found, "{what}");
        }
    }
}
