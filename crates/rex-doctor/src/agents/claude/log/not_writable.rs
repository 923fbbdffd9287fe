//! The log may not be written.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};
use crate::evidence::Says;

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.not_writable",
        severity: Severity::Error,
        summary: "the log resumes, and nothing will be saved",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The client loads the conversation, answers, prints nothing and saves nothing: the next resume does not know
the turn. 2.0.14 ends with an error after the request.

## How it is recognised

The log is found and the client's user may not write it.

## What still works

Reading and answering.

## What to do

Give the user the right to write the file.

## Reports

humanlayer/humanlayer#750.
";

fn run(session: &Session) -> Verdict {
    let (Some((_, path)), Says::Read(false)) = (&session.found, &session.may_write) else {
        return Verdict::Pass;
    };
    let text = path.display().to_string();
    Verdict::Found(
        Evidence::new(format!(
            "{text} may not be written: new turns are answered and not saved"
        ))
        .file(path, "not writable")
        .remedy(Remedy::command(
            "give the user the right to write it",
            ["chmod", "u+w", &text],
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
                    session.may_write = Says::Read(false);
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
