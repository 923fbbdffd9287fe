//! `rex-bench record MEASUREMENTS.md`

use std::fs;
use std::path::PathBuf;

use clap::Args;

use crate::error::BenchError;
use crate::record;

/// Write the measurements page from the raw records in the folder `measurements` beside it
#[derive(Debug, Args)]
pub(super) struct Record {
    /// The page to write; what is there is replaced
    page: PathBuf,
}

impl Record {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        let records = record::read(&self.page.with_file_name("measurements"))?;
        fs::write(&self.page, record::page(&records)).map_err(|source| BenchError::File {
            doing: "write",
            path: self.page.clone(),
            source,
        })
    }
}
