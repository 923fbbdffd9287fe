//! `rex-bench measure phases STORE`

use std::path::{Path, PathBuf};

use anstream::println;
use clap::Args;

use crate::error::BenchError;
use crate::measure::phases;

/// Upgrade a store in this process and print the CPU of each phase as JSON
#[derive(Debug, Args)]
#[command(hide = true)]
pub(super) struct Phases {
    store: PathBuf,
}

impl Phases {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        let scratch = self.store.parent().unwrap_or(Path::new("."));
        let phases = phases::of_upgrade(&self.store, scratch).map_err(|source| BenchError::Upgrade {
            path: self.store.clone(),
            source: Box::new(source),
        })?;
        println!("{}", serde_json::json!(phases));
        Ok(())
    }
}
