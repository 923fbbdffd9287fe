//! Opens an agent's SQLite store without a trace.

use std::path::{Path, PathBuf};

use super::Place;
use crate::evidence::Says;

/// A SQLite store, opened without a trace.
#[derive(Debug)]
pub struct Database {
    real: PathBuf,
}

impl Place {
    /// Opens the SQLite store there.
    pub fn database(&self, path: &Path) -> Says<Database> {
        self.open(path).and_then(|_| {
            self.root
                .find(&self.cwd.join(path), true, &self.rights)
                .map(|found| Database { real: found.real })
        })
    }
}

impl Database {
    /// Where it lies on the doctor's own machine.
    pub fn real(&self) -> &Path {
        &self.real
    }
}
