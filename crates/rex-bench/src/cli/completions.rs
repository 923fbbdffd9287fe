//! `rex-bench completions SHELL`

use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::error::BenchError;

/// Print a completion script for a shell
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut super::Cli::command(), "rex-bench", &mut script);
        std::io::Write::write_all(&mut std::io::stdout(), &script).map_err(|source| BenchError::File {
            doing: "write to",
            path: PathBuf::from("stdout"),
            source,
        })
    }
}
