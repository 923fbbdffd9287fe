//! `rex-bench measure vacuum STORE OUT`

use std::path::PathBuf;

use clap::Args;
use rusqlite::Connection;

use crate::error::BenchError;

/// Copy a store with VACUUM INTO: what an upgrade is held against
#[derive(Debug, Args)]
#[command(hide = true)]
pub(super) struct Vacuum {
    store: PathBuf,
    out: PathBuf,
}

impl Vacuum {
    #[expect(
        clippy::disallowed_methods,
        reason = "the measure is plain SQLite, without any care of ours"
    )]
    pub(super) fn run(&self) -> Result<(), BenchError> {
        let failed = |source| BenchError::Sqlite {
            doing: "vacuum",
            path: self.store.clone(),
            source,
        };
        let connection = Connection::open(&self.store).map_err(failed)?;
        connection
            .execute("VACUUM INTO ?1", [self.out.to_string_lossy()])
            .map_err(failed)?;
        Ok(())
    }
}
