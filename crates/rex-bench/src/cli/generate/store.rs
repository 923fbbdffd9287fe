//! Writing a generated store to a file.

use std::path::Path;

use rusqlite::Connection;

use crate::generate::daemon::{self, Mix, Truth};

/// Writes a daemon store.
pub(in crate::cli) fn write_store(
    path: &Path,
    mix: &Mix,
    seed: u64,
    progress: &mut dyn FnMut(u64),
) -> rusqlite::Result<Truth> {
    fill(path, |store| daemon::generate(store, mix, seed, progress))
}

/// Writes a store into a file that has no name yet: nothing in it is durable before, so SQLite need not sync or journal.
#[expect(
    clippy::disallowed_methods,
    reason = "a store that does not exist yet has no way to be opened that fits"
)]
pub(super) fn fill<T>(
    path: &Path,
    make: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let store = Connection::open(path)?;
    store.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; \
         PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY;",
    )?;
    let result = make(&store)?;
    store.close().map_err(|(_, error)| error)?;
    Ok(result)
}
