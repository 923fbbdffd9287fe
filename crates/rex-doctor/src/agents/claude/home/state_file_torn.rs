//! The state file .claude.json is torn.

use crate::agents::claude::client::parser::complaint;
use crate::agents::claude::graph::Generation;
use crate::agents::claude::home::StateFile;
use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Remedy, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.home.state_file_torn",
        severity: Severity::Error,
        summary: "the client's state file does not parse",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

The client reads its global state file before anything else. Where it does not parse, every start in print
mode ends with an error, whatever session is asked for. No conversation is at fault.

## How it is recognised

The file is there, and its text is not JSON (up to 2.1.197 an empty file counts too).

## What still works

The SDK's own functions, which do not read it.

## What to do

Restore the newest copy that the client keeps in backups. Without a copy, move the file aside: the client
then starts with defaults.

## Reports

None counted; seen on 2.1.332 and 2.1.197.
";

fn run(session: &Session) -> Verdict {
    let is_torn = match &session.state {
        StateFile::Torn(text) => complaint(text).is_some(),
        StateFile::Blank => session.rules.generation != Generation::New || session.backup.is_some(),
        StateFile::Fine | StateFile::Absent | StateFile::Unreadable(_) => false,
    };
    if !is_torn {
        return Verdict::Pass;
    }
    let path = session.state_path.display().to_string();
    let remedy = if let Some(backup) = &session.backup {
        let backup = backup.display().to_string();
        Remedy::command("restore the newest copy", ["cp", "-f", &backup, &path], true)
    } else {
        let aside = format!("{path}.torn");
        let text = "move it aside: the client starts with defaults";
        Remedy::command(text, ["mv", &path, &aside], false)
    };
    Verdict::Found(
        Evidence::new(format!(
            "{path} does not parse, and the client ends before it looks for any session"
        ))
        .file(&session.state_path, "not JSON")
        .remedy(remedy),
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
                    session.state = StateFile::Torn("{\"a\":".to_owned());
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
