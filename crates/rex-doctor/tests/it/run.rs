//! Runs the doctor inside the test, with exactly the environment it is given.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use jiff::Timestamp;
use rex_doctor::cli::{self, Outside};

/// How many cases are tried at once.
pub(crate) const THREADS: usize = 2;

/// What a command left behind.
#[derive(Debug)]
pub(crate) struct Said {
    pub code: u8,
    pub out: String,
    pub err: String,
}

/// Runs a command as somebody at a terminal would, or as a script.
pub(crate) fn doctor(
    arguments: &[&str],
    environment: &BTreeMap<String, String>,
    current_dir: &Path,
    is_terminal: bool,
) -> Said {
    let (mut out, mut err) = (vec![], vec![]);
    let words = ["rex-doctor"].iter().chain(arguments).map(OsString::from);
    let variables = environment
        .iter()
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let code = cli::run(&mut Outside {
        arguments: words.collect(),
        environment: variables.collect(),
        current_dir: current_dir.to_owned(),
        scratch: std::env::temp_dir(),
        now: Timestamp::now(),
        workers: 1,
        is_terminal,
        out: &mut out,
        err: &mut err,
    });
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Said {
        code,
        out: text(out),
        err: text(err),
    }
}
