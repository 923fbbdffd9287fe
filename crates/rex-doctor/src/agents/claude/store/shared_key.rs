//! Folders with different names share a key.

use crate::agents::claude::key;
use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.store.shared_key",
        severity: Severity::Info,
        summary: "one key holds the sessions of more than one folder",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

A key keeps only letters and digits of a path, so a.b, a-b and a_b share one, and so do all names of equal
length in other scripts. Lists and --continue of older clients mix their sessions.

## How it is recognised

The logs of the key record more than one folder.

## What still works

Resuming by id.

## What to do

Nothing is needed; resume by id.

## Reports

anthropics/claude-code#70076, #40946, #52513, #70674, #69245.
";

fn run(session: &Session) -> Verdict {
    let key = |folder: &str| key::of(folder);
    let [first, rest @ ..] = session.key_folders.as_slice() else {
        return Verdict::Pass;
    };
    let Some(second) = rest.iter().find(|other| key(other) == key(first)) else {
        return Verdict::Pass;
    };
    Verdict::Found(
        Evidence::new(format!("sessions of {first} and of {second} lie under one key"))
            .line(session.key_folders.join(", ")),
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
                    session.key_folders = vec!["/w/a.b".to_owned(), "/w/a-b".to_owned()];
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
