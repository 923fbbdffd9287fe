//! Another letter case.

use crate::agents::claude::client::Meaning;
use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.argument.letter_case",
        severity: Severity::Error,
        summary: "the id differs from the log's name in letter case",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The client uses the id as it is given, and the disk tells letter cases apart.

## How it is recognised

A log's name is the id in another letter case.

## What still works

The session, by the id as it is stored.

## What to do

Give the id as it is stored.

## Reports

None; seen on 2.1.332 and 2.1.197.
";

fn run(session: &Session) -> Verdict {
    let (Meaning::Id(asked), Some(stored)) = (&session.meaning, &session.id) else {
        return Verdict::Pass;
    };
    if asked == stored || session.resumes() {
        return Verdict::Pass;
    }
    Verdict::Found(
        Evidence::new(format!("the log's name is {stored}, in another letter case")).remedy(Remedy::command(
            "give the id as it is stored",
            session.resume_command(&[]),
            true,
        )),
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
                    let mut session = Session::healthy();
                    session.meaning = Meaning::Id("05D99DB5-94C4-4413-A0E2-5BCD11901E0A".to_owned());
                    session.found = None;
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
