//! More than one session fits.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.argument.ambiguous",
        severity: Severity::Error,
        summary: "the argument fits several sessions",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The argument is the beginning, or the title, of more than one session.

## How it is recognised

It is no full id, and more than one id begins with it or more than one session has it as its title.

## What still works

Each of them by its id.

## What to do

Give the full id of the one that is meant.

## Reports

None.
";

fn run(session: &Session) -> Verdict {
    if session.candidates.len() < 2 {
        return Verdict::Pass;
    }
    let evidence = Evidence::new(format!(
        "\"{}\" fits {} sessions",
        session.argument,
        session.candidates.len()
    ));
    let each = session.candidates.iter().take(20);
    Verdict::Found(each.fold(evidence, |evidence, id| {
        let command = ["claude", "--resume", id];
        evidence
            .line(id.clone())
            .remedy(Remedy::command("this one", command, true))
    }))
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
                    session.candidates = vec!["a".to_owned(), "b".to_owned()];
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
