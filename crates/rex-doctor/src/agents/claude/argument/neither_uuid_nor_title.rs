//! Neither an id nor a title.

use crate::agents::claude::client::Meaning;
use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};
use crate::forecast::Outcome;

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.argument.neither_uuid_nor_title",
        severity: Severity::Error,
        summary: "the argument is neither a full id nor an exact title",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

In print mode the client takes a full UUID, the exact title of a session of the folder, or a path that ends
with .jsonl. It completes nothing.

## How it is recognised

The argument is none of these.

## What still works

The session, by its full id.

## What to do

Give the full id.

## Reports

anthropics/claude-code#91268.
";

fn run(session: &Session) -> Verdict {
    let Meaning::Title(title) = &session.meaning else {
        return Verdict::Pass;
    };
    let is_known_form = title.starts_with("local_") || title.starts_with("agent-");
    if is_known_form || !session.has_outcome("resume", Outcome::Refuses) || !session.candidates.is_empty() {
        return Verdict::Pass;
    }
    let mut evidence = Evidence::new(format!(
        "\"{title}\" is neither a full id nor an exact title of a session of {}",
        session.folder
    ));
    if session.id.is_some() {
        evidence = evidence.remedy(Remedy::command(
            "give the full id",
            session.resume_command(&[]),
            true,
        ));
    }
    for id in &session.nearest {
        evidence = evidence.line(format!("like {id}"));
    }
    Verdict::Found(evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::Forecast;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (
                {
                    let mut session = Session::healthy();
                    session.meaning = Meaning::Title("05d9".to_owned());
                    session.forecasts = vec![Forecast::refuses("resume", None)];
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
