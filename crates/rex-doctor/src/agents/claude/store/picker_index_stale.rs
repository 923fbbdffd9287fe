//! A leftover sessions-index.json.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.store.picker_index_stale",
        severity: Severity::Info,
        summary: "an index of early 2.1 versions is left over",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

Early 2.1 versions kept a list of sessions in sessions-index.json, which went stale and hid sessions. No
version seen here reads it.

## How it is recognised

The file lies in the key of the folder.

## What still works

Everything.

## What to do

Resume by id; the file may be deleted.

## Reports

anthropics/claude-code#25032, #25685, #23421, #22462, #26485, #27096, #21610, #44346.
";

fn run(session: &Session) -> Verdict {
    match &session.index_file {
        Some(path) => Verdict::Found(
            Evidence::new(format!("{} is left over and not read", path.display())).file(path, "a leftover"),
        ),
        None => Verdict::Pass,
    }
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
                    session.index_file = Some("/c/projects/-w-app/sessions-index.json".into());
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
