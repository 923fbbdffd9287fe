//! `rex-migrate manual`: for packagers, so hidden from the help.

use super::{CliError, Session};

/// Print the manual page, or that of a subcommand
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The subcommand.
    subcommand: Option<String>,
}

pub(super) fn run(arguments: &Arguments, session: &mut Session<'_>) -> Result<(), CliError> {
    let whole = super::command();
    let named = arguments
        .subcommand
        .as_deref()
        .and_then(|name| whole.find_subcommand(name));
    let mut page = Vec::new();
    clap_mangen::Man::new(named.unwrap_or(&whole).clone())
        .render(&mut page)
        .and_then(|()| session.out.write_all(&page))
        .map_err(|source| CliError::Output { source })
}
