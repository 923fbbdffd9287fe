//! `completions`: a script that lets a shell complete the arguments.

use clap::Args;
use clap_complete::Shell;

use super::{Failure, Ready};
use crate::exit_status::ExitStatus;

pub(super) const EXAMPLES: &str = "Examples:
  rex-doctor completions bash > ~/.local/share/bash-completion/completions/rex-doctor
  rex-doctor completions zsh > ~/.zfunc/_rex-doctor";

/// Print a script that lets your shell complete the arguments.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(super) fn run(arguments: &Arguments, ready: &mut Ready<'_>) -> Result<ExitStatus, Failure> {
    let mut script = vec![];
    clap_complete::generate(arguments.shell, &mut super::command(), "rex-doctor", &mut script);
    ready.out.write_all(&script)?;
    Ok(ExitStatus::Healthy)
}
