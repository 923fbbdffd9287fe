//! A name that is nearly the log.

use crate::agents::claude::session::Session;
use crate::agents::claude::store::{Copy, Miss};
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};
use crate::evidence::{Says, Why};
use crate::place::Kind;

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.not_a_log",
        severity: Severity::Error,
        summary: "what has the log's name, or nearly, is not a log that the client would read",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

A directory, a dangling symlink or a fifo lies where the log should be, or the file lies one level too high
or too deep, has another ending, or another letter case. The client looks for exactly one name.

## How it is recognised

The lookup ends without a log, and such a name is there.

## What still works

The file itself, under its own name.

## What to do

Rename or move it to the name that the client looks for.

## Reports

wsagency/claude-move-project#13.
";

fn run(session: &Session) -> Verdict {
    if session.resumes() || session.elsewhere.iter().any(Copy::is_file) {
        return Verdict::Pass;
    }
    let strange = session
        .copies
        .iter()
        .find(|copy| !copy.is_file() && copy.stat.why().is_none_or(|why| *why != Why::NotPermitted));
    let is_alone = !session.copies.iter().any(Copy::is_file);
    if let Some(copy) = strange.filter(|_| is_alone) {
        let what = match &copy.stat {
            Says::Read(stat) if stat.kind == Kind::Directory => "a directory",
            Says::Read(_) => "no regular file",
            Says::Absent => "a symlink that leads nowhere",
            Says::Unreadable(_) => "a symlink that cannot be followed",
        };
        return Verdict::Found(
            Evidence::new(format!("{} is {what}", copy.path.display()))
                .file(&copy.path, what)
                .remedy(Remedy::advice("put the log itself in its place")),
        );
    }
    let Some(miss) = session
        .near_misses
        .iter()
        .find(|miss| miss.how != Miss::LetterCase)
        .filter(|_| is_alone)
    else {
        return Verdict::Pass;
    };
    let what = match miss.how {
        Miss::LetterCase => "another letter case",
        Miss::Ending => "another ending than .jsonl",
        Miss::TooHigh => "in projects itself, not under a key",
        Miss::TooDeep => "one level below its key",
    };
    let mut evidence =
        Evidence::new(format!("the log lies at {} ({what})", miss.path.display())).file(&miss.path, what);
    if let Some(own) = &session.computed {
        let (from, to) = (miss.path.display().to_string(), own.display().to_string());
        evidence = evidence.remedy(Remedy::command(
            "copy it to where the client looks",
            ["install", "-D", "-m", "600", &from, &to],
            true,
        ));
    }
    Verdict::Found(evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::claude::store::NearMiss;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                {
                    let mut session = Session::healthy().without_log();
                    session.near_misses = vec![NearMiss {
                        path: "/c/projects/x.jsonl".into(),
                        how: Miss::TooHigh,
                    }];
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
