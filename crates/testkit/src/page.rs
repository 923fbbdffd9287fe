//! Generated pages: rendered by a test, compared with the file in the repository.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The repository's root folder.
///
/// # Panics
/// When the test kit does not lie two folders below it.
pub fn repository() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    folder
        .canonicalize()
        .expect("the test kit lies two folders below the root")
}

/// Whether the person asked for the pages to be written (`UPDATE_DOCS=1`).
pub fn is_updating() -> bool {
    env::var_os("UPDATE_DOCS").is_some_and(|value| value == "1")
}

/// Asserts that the file at `path`, relative to the repository's root, holds `rendered`; with `UPDATE_DOCS=1` writes it first.
///
/// # Panics
/// When the page differs or cannot be written.
pub fn assert_page(path: &str, rendered: &str) {
    let file = repository().join(path);
    if is_updating() {
        fs::create_dir_all(file.parent().expect("a page lies in a folder")).expect("the folder can be made");
        fs::write(&file, rendered).expect("the page can be written");
    }
    let held = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        held == rendered,
        "{path} is not what the code renders; UPDATE_DOCS=1 cargo test writes it"
    );
}
