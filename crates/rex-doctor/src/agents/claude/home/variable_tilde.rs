//! `CLAUDE_CONFIG_DIR` begins with a literal tilde.

use crate::agents::claude::session::Session;
use crate::check::{About, Check, Evidence, Severity, Verdict};

pub(in super::super) const CHECK: Check<Session> = Check {
    about: About {
        id: "claude.home.variable_tilde",
        severity: Severity::Warning,
        summary: "CLAUDE_CONFIG_DIR begins with a literal tilde",
        page: PAGE,
        source: file!(),
    },
    run,
};

const PAGE: &str = "\
## What it means

Nobody expands the tilde: the client makes a folder called ~ in the folder it is started in, and looks for
sessions there.

## How it is recognised

The environment's CLAUDE_CONFIG_DIR is of that form.

## What still works

Resuming from the same folder as before.

## What to do

Give the absolute path, or write $HOME, which the shell expands in quotes too.

## Reports

None known; seen on 2.1.332 and 2.1.197.
";

fn run(session: &Session) -> Verdict {
    match &session.config.variable {
        Some(value) if value.starts_with('~') => Verdict::Found(
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
                    session.config.variable = Some("~/.cc".to_owned());
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
