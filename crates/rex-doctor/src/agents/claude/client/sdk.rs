//! What the Python SDK's `get_session_messages(id, directory=cwd)` answers: its own lookup, which is not the client's.

use std::path::{Path, PathBuf};

use super::super::graph::{Generation, Graph};
use super::super::home::ConfigDir;
use super::super::key;
use super::super::log::Transcript;
use super::super::row::Mark;
use super::super::store;
use super::chain::walk;
use super::lookup::Reader;
use crate::evidence::{Says, Why};
use crate::place::Place;

/// The SDK's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Answer {
    /// So many messages, from this log.
    Messages(u64, Option<PathBuf>),
    /// An exception with this text.
    Raises(String),
}

/// What the SDK answers for that id.
pub(in super::super) fn answer(place: &Place, session: &str) -> Answer {
    if !key::is_uuid(session) {
        return Answer::Messages(0, None);
    }
    let config = ConfigDir::of_sdk(place);
    let reader = Reader::new(place, &config);
    let cwd = place.cwd();
    let real = place.real_path(cwd).read().unwrap_or_else(|| cwd.to_owned());
    let own = key::composed(&real.to_string_lossy());
    let trees = reader.worktrees();
    let folders = std::iter::once(own.clone()).chain(trees.into_iter().filter(|tree| *tree != own));
    for folder in folders {
        let key = match key_of(place, &config, &folder) {
            Ok(Some(key)) => key,
            Ok(None) => continue,
            Err(text) => return Answer::Raises(text),
        };
        let path = key.join(format!("{session}.jsonl"));
        match &*reader.log(&path) {
            Says::Read(log) if log.bytes > 0 => {
                return match bad_byte(place, log) {
                    Some(text) => Answer::Raises(text),
                    None => Answer::Messages(visible(log), Some(path)),
                };
            }
            Says::Read(_) | Says::Absent | Says::Unreadable(_) => {}
        }
    }
    Answer::Messages(0, None)
}

/// The folder of a key: the exact one, else for a long path the first that begins alike.
fn key_of(place: &Place, config: &ConfigDir, folder: &str) -> Result<Option<PathBuf>, String> {
    let name = key::by_code_points(folder);
    let exact = config.projects().join(&name);
    if let Says::Unreadable(Why::NotPermitted) = place.stat(&exact) {
        return Err(format!("[Errno 13] Permission denied: '{}'", exact.display()));
    }
    if place.is_directory(&exact) {
        return Ok(Some(exact));
    }
    let Some(start) = name.get(..key::LONGEST).filter(|_| name.len() > key::LONGEST) else {
        return Ok(None);
    };
    let start = format!("{start}-");
    let siblings = store::keys(place, config).into_iter();
    Ok(siblings
        .filter(|key| key.name.starts_with(&start))
        .map(|key| key.path)
        .next())
}

/// How many messages it gives back.
fn visible(log: &Transcript) -> u64 {
    let graph = Graph::of(log, Generation::Sdk);
    let Some(walk) = walk(&graph, Generation::Sdk) else {
        return 0;
    };
    let is_shown = |at: &&u32| {
        graph.node(**at).is_some_and(|node| {
            let hidden = [Mark::Meta, Mark::Side, Mark::Team]
                .iter()
                .any(|mark| node.row.is(*mark));
            node.row.is_talk() && !hidden
        })
    };
    walk.rows.iter().filter(is_shown).count() as u64
}

/// The words of Python's decoder where the log is not UTF-8.
fn bad_byte(place: &Place, log: &Transcript) -> Option<String> {
    let offset = log.bad_utf8?;
    let bytes = bytes_at(place, &log.path, offset)?;
    let error = std::str::from_utf8(&bytes).err()?;
    let at = offset + error.valid_up_to() as u64;
    let rest = bytes.get(error.valid_up_to()..)?;
    let first = *rest.first()?;
    let (length, reason) = match error.error_len() {
        None => (rest.len() as u64, "unexpected end of data"),
        Some(length) if matches!(first, 0xc2..=0xf4) => (length as u64, "invalid continuation byte"),
        Some(_) => (1, "invalid start byte"),
    };
    Some(if length == 1 {
        format!("'utf-8' codec can't decode byte 0x{first:02x} in position {at}: {reason}")
    } else {
        format!(
            "'utf-8' codec can't decode bytes in position {at}-{}: {reason}",
            at + length - 1
        )
    })
}

fn bytes_at(place: &Place, path: &Path, offset: u64) -> Option<Vec<u8>> {
    place.open(path).read()?.read_at(offset, 4).ok()
}
