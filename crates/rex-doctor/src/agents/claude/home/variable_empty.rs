//! `CLAUDE_CONFIG_DIR` is set to the empty string.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.home.variable_empty",
        severity: Severity::Warning,
        summary: "CLAUDE_CONFIG_DIR is set to the empty string",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

An empty value is a value for the client: its config directory is then the folder it is started in, so every
folder gets its own. The SDK takes an empty value for none and looks in ~/.claude, so the two never agree.

## How it is recognised

The environment's CLAUDE_CONFIG_DIR is empty.

## What still works

Resuming from the same folder as before.

## What to do

Give the absolute path of the directory that holds the session, or unset the variable instead of emptying it.

## Reports

None known; seen on 2.1.332 and 2.1.197.
";

fn run(session: &Session) -> Verdict {
    match &session.config.variable {
        Some(value) if value.is_empty() => Verdict::Found(
            Evidence::new(format!(
                "CLAUDE_CONFIG_DIR is \"{value}\", so the client keeps its sessions in {}",
                session.config.path.display()
            ))
            .remedy(session.absolute_config_remedy()),
        ),
        Some(_) | None => Verdict::Pass,
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
                    session.config.variable = Some(String::new());
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
