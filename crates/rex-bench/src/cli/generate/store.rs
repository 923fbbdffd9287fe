//! Writing a generated store to a file.

use std::path::Path;

use rusqlite::Connection;

use crate::generate::daemon::{self, Mix, Truth};

/// Nothing is durable before the file has its name, so SQLite need not sync or journal.
#[expect(
    clippy::disallowed_methods,
    reason = "a store that does not exist yet has no way to be opened that fits"
)]
pub(in crate::cli) fn write_store(
    path: &Path,
    mix: &Mix,
    seed: u64,
    progress: &mut dyn FnMut(u64),
) -> rusqlite::Result<Truth> {
    let store = Connection::open(path)?;
    store.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; \
         PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY;",
    )?;
    let truth = daemon::generate(&store, mix, seed, progress)?;
    store.close().map_err(|(_, error)| error)?;
    Ok(truth)
}
