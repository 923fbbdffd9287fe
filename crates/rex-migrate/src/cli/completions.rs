//! `rex-migrate completions`

use super::{CliError, Session};

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  rex-migrate completions bash > /etc/bash_completion.d/rex-migrate")]
pub(super) struct Arguments {
    /// The shell.
    shell: clap_complete::Shell,
}

pub(super) fn run(arguments: &Arguments, session: &mut Session<'_>) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut super::command(), "rex-migrate", &mut script);
    session
        .out
        .write_all(&script)
        .map_err(|source| CliError::Output { source })
}
