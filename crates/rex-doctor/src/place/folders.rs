//! Folders that were looked up once: a home holds thousands of files in a few of them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::root::{Found, Kind};
use crate::evidence::Says;

/// The most folders that are remembered.
const MOST_FOLDERS: usize = 4096;

/// What folders were found to be, by the path that was asked for. Only for one root and one person's rights.
#[derive(Clone, Debug, Default)]
pub(super) struct Folders(Arc<Mutex<HashMap<PathBuf, Found>>>);

impl Folders {
    /// The folder there, looked up by `find` if nobody asked for it before.
    pub(super) fn find(&self, path: &Path, find: impl FnOnce() -> Says<Found>) -> Says<Found> {
        if let Some(known) = self.lock().get(path) {
            return Says::Read(known.clone());
        }
        let found = find();
        if let Says::Read(folder) = &found
            && folder.stat.kind == Kind::Directory
        {
            let mut folders = self.lock();
            if folders.len() < MOST_FOLDERS {
                folders.insert(path.to_owned(), folder.clone());
            }
        }
        found
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Found>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::rights::Rights;
    use crate::place::root::Root;

    #[test]
    fn a_folder_is_looked_up_once_and_one_that_is_not_there_again() {
        let folders = Folders::default();
        for (path, lookups) in [("/", 1), ("/nowhere/at/all", 3)] {
            let mut count = 0;
            for _ in 0..3 {
                let found = folders.find(Path::new(path), || {
                    count += 1;
                    Root::whole().find(Path::new(path), true, &Rights::Real)
                });
                assert_eq!(found.is_read(), lookups == 1);
            }
            assert_eq!(count, lookups, "{path}");
        }
    }
}
