//! An address.

use crate::agents::claude::client::Meaning;
use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.argument.address",
        severity: Severity::Warning,
        summary: "the argument is an address: a server decides",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

What has the form of an address is asked of a server. What the server answers is not on this disk.

## How it is recognised

The argument begins with a scheme and a colon.

## What still works

Not known.

## What to do

Give the id of the session.

## Reports

None.
";

fn run(session: &Session) -> Verdict {
    if session.meaning != Meaning::Address {
        return Verdict::Pass;
    }
    Verdict::Found(Evidence::new(format!(
        "{} is an address: a server decides what comes of it",
        session.argument
    )))
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
                    session.meaning = Meaning::Address;
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
