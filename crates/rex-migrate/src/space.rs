//! How much disk an upgrade may need, and whether it is there.

use std::path::Path;

use crate::backup::folder_of;
use crate::error::MigrateError;
use crate::files::Files;

/// What an upgrade may write into one folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) bytes: u64,
}

/// The needs of an upgrade of `store_bytes`: the store may grow by its own size, journal included, and the backup is
/// a whole copy (a reflink needs nothing, but whether one is possible shows only when it is tried).
pub(crate) fn needs<'a>(store: &'a Path, store_bytes: u64, backup: Option<&'a Path>) -> Vec<Need<'a>> {
    let growth = Need {
        folder: folder_of(store),
        bytes: store_bytes,
    };
    match backup.map(folder_of) {
        None => vec![growth],
        Some(folder) if folder == growth.folder => vec![Need {
            folder,
            bytes: 2 * store_bytes,
        }],
        Some(folder) => vec![
            growth,
            Need {
                folder,
                bytes: store_bytes,
            },
        ],
    }
}

/// Refuses before anything is written rather than in the middle.
///
/// # Errors
/// [`MigrateError::NoSpace`]; [`MigrateError::File`] when the file system does not say how much is free.
pub(crate) fn check(needs: &[Need<'_>], files: &dyn Files) -> Result<(), MigrateError> {
    for need in needs {
        let free_bytes = files
            .free_bytes(need.folder)
            .map_err(MigrateError::file("read the free space of", need.folder))?;
        if free_bytes < need.bytes {
            return Err(MigrateError::NoSpace {
                folder: need.folder.to_owned(),
                needed_bytes: need.bytes,
                free_bytes,
            });
        }
    }
    Ok(())
}
