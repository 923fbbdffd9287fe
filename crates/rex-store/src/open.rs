//! Three ways to open a store, one type each: a [`Reader`] leaves no trace and cannot write, an [`Upgrader`] has the
//! file to itself, and [`Live`] is for the application that runs on it.

mod holder;
mod live;
mod overlay;
mod reader;
mod sighting;
mod upgrader;

pub use holder::{Holder, holders};
pub use live::Live;
pub use reader::{How, Reader};
pub use upgrader::Upgrader;

pub(crate) use sighting::{beside, open_file};

use std::path::{Path, PathBuf};

use crate::error::StoreError;

/// A path that SQLite cannot take for a URI, and that still means the same file if the folder changes.
fn absolute(path: &Path) -> Result<PathBuf, StoreError> {
    std::path::absolute(path).map_err(io("find", path))
}

/// Turns the system's refusal into ours.
pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io { doing, path, source }
}
