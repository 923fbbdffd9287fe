//! The log cannot be read.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};
use crate::evidence::{Says, Why};
use std::path::Path;

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.log.unreadable",
        severity: Severity::Error,
        summary: "the log or its folder may not be read",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The client cannot tell a log that it may not read from one that is not there: it says that no conversation
was found.

## How it is recognised

Reading the log, or listing its folder, is refused to the client's user, or what lies there is no file that
could be read.

## What still works

Nothing on this session, for this user.

## What to do

Give the file and its folder back to the user.

## Reports

humanlayer/humanlayer#750, anthropics/claude-code#69952.
";

fn run(session: &Session) -> Verdict {
    let refused = match &session.log {
        Some((path, Says::Unreadable(why))) if *why != Why::IsDirectory => Some((path.clone(), why.clone())),
        Some(_) | None => None,
    };
    let folder = session
        .computed
        .as_ref()
        .and_then(|path| path.parent())
        .map(Path::to_owned);
    let key = session
        .key_unreadable
        .clone()
        .filter(|why| *why == Why::NotPermitted && !session.resumes());
    // A folder that may not be searched hides the log in it: it comes first.
    let Some((path, why)) = folder.zip(key).or(refused) else {
        return Verdict::Pass;
    };
    let text = path.display().to_string();
    Verdict::Found(
        Evidence::new(format!(
            "{text} cannot be read ({why}), and the client says that nothing was found"
        ))
        .file(&path, &why.to_string())
        .remedy(Remedy::command(
            "give the user the right to read it",
            ["chmod", "u+rwX", &text],
            false,
        )),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fault_is_told_from_health_and_from_a_log_that_cannot_be_read() {
        for (session, is_found, what) in [
            (Session::healthy().with_unreadable_log(), true, "the fault"),
            (Session::healthy(), false, "a healthy session"),
            (
                Session::healthy().without_log(),
                false,
                "a log that cannot be read",
            ),
        ] {
            assert_eq!(matches!(run(&session), Verdict::Found(_)), is_found, "{what}");
        }
    }
}
