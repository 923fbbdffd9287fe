//! A title that is not unique.

use crate::agents::claude::client::Meaning;
use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.argument.title_twice",
        severity: Severity::Error,
        summary: "several sessions have that title",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The client does not choose between sessions with the same title and lists their ids.

## How it is recognised

More than one session of the folder and its worktrees has exactly that title.

## What still works

Each of them by its id.

## What to do

Give the id.

## Reports

None.
";

fn run(session: &Session) -> Verdict {
    let is_title = matches!(&session.meaning, Meaning::Title(title) if !session.candidates.iter().all(|id| id.starts_with(&title.to_lowercase())));
    if session.candidates.len() < 2 || !is_title {
        return Verdict::Pass;
    }
    let mut evidence = Evidence::new(format!(
        "{} sessions have the title \"{}\"",
        session.candidates.len(),
        session.argument
    ));
    for id in &session.candidates {
        evidence = evidence.remedy(Remedy::command("this one", ["claude", "--resume", id], true));
    }
    Verdict::Found(evidence)
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
                    session.meaning = Meaning::Title("my title".to_owned());
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
