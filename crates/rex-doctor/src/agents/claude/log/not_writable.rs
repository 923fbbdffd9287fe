//! The log cannot be written: no right to it, or no room on its disk.

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

Without the right to write, the client loads the conversation, answers, prints nothing and saves nothing: the
next resume does not know the turn. 2.0.14 ends with an error after the request. On a full disk a newer client
answers, ends with an error and may leave a torn last line behind; 2.1.197 says nothing; 2.0.14 does not start.

## How it is recognised

The log is found, and the client's user may not write it, or the file system of the config directory has no
block left for this user. The room on another machine's disk is not asked for.

## What still works

Reading and answering.

## What to do

Give the user the right to write the file, or free space, then look at the end of the log.

## Reports

humanlayer/humanlayer#750, anthropics/claude-code#69734, #16720.
";

fn run(session: &Session) -> Verdict {
    let Some((_, path)) = &session.found else {
        return Verdict::Pass;
    };
    let text = path.display().to_string();
    if session.may_write == Says::Read(false) {
        let remedy = Remedy::command(
            "give the user the right to write it",
            ["chmod", "u+w", &text],
            true,
        );
        return Verdict::Found(
            Evidence::new(format!(
                "{text} may not be written: new turns are answered and not saved"
            ))
            .file(path, "not writable")
            .remedy(remedy),
        );
    }
    if session.free_bytes == Some(0) {
        return Verdict::Found(
            Evidence::new(format!("no space is left on the disk that holds {text}"))
                .file(path, "no room to write it")
                .remedy(Remedy::advice("free space before the next run")),
        );
    }
    Verdict::Pass
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
                "no right to write",
            ),
            (
                {
                    let mut session = Session::healthy();
                    session.free_bytes = Some(0);
                    session
                },
                true,
                "a full disk",
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
