//! Reads rollouts that are plain text.

use std::io::Read;
use std::path::Path;

use rex_store::jsonl::Lines;

use super::{Rollout, Tail};
use crate::agents::codex::conversation::Conversation;
use crate::agents::codex::meta::{Beginning, is_pre_envelope};
use crate::agents::codex::rollout::{self, Item, Line};
use crate::evidence::Says;
use crate::place::LogFile;

/// What `check` reads of each end.
const WINDOW: usize = 64 << 10;

/// A beginning or an end that is not told within this many bytes is not looked for any further.
const FARTHEST: usize = 16 << 20;

/// Reads the beginning and the end of a file.
pub(super) fn read(path: &Path, file: &LogFile) -> Says<Rollout> {
    let mut is_pre = None;
    let mut beginning = Beginning::default();
    let started = head(file, |line| {
        is_pre.get_or_insert_with(|| is_pre_envelope(line));
        beginning.take(line)
    });
    let ended = started.and_then(|()| tail(file));
    match ended {
        Ok((tail, last_cwd)) => {
            let (head, first) = beginning.found();
            let stat = file.stat();
            Says::Read(Rollout {
                path: path.to_path_buf(),
                bytes: stat.bytes,
                modified: stat.modified,
                head,
                first,
                is_pre_envelope: is_pre.unwrap_or(false),
                tail,
                last_cwd,
            })
        }
        Err(error) => error.into(),
    }
}

/// Counts the messages of a file.
pub(super) fn replay(
    file: LogFile,
    end_byte_offset: Option<u64>,
    conversation: &mut Conversation,
) -> Says<()> {
    match walk(file, end_byte_offset, conversation) {
        Ok(()) => Says::Read(()),
        Err(error) => error.into(),
    }
}

/// Hands every line of `input` to `conversation`.
pub(super) fn walk(
    input: impl Read,
    end_byte_offset: Option<u64>,
    conversation: &mut Conversation,
) -> std::io::Result<()> {
    let mut lines = Lines::new(input.take(end_byte_offset.unwrap_or(u64::MAX)));
    while let Some(line) = lines.read()? {
        let read = if line.is_whole() {
            rollout::read(line.text)
        } else {
            rollout::read_beginning(line.text)
        };
        conversation.take(&read);
    }
    Ok(())
}

/// Hands the first lines to `take` until it has seen enough.
fn head(file: &LogFile, mut take: impl FnMut(&[u8]) -> bool) -> std::io::Result<()> {
    let mut window = WINDOW;
    let mut done = 0;
    loop {
        let bytes = file.read_at(0, window)?;
        let is_all = bytes.len() < window;
        let mut rest = bytes.get(done..).unwrap_or_default();
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            if take(line) {
                return Ok(());
            }
            done += end + 1;
            rest = after.get(1..).unwrap_or_default();
        }
        if is_all || window >= FARTHEST {
            if !rest.is_empty() {
                take(rest);
            }
            return Ok(());
        }
        window *= 8;
    }
}

/// Walks back to the last line that the client takes, and on to the folder of the last turn while it is near.
fn tail(file: &LogFile) -> std::io::Result<(Tail, Option<String>)> {
    let mut window = WINDOW as u64;
    loop {
        let from = file.bytes().saturating_sub(window);
        let bytes = file.read_at(from, window as usize)?;
        let (found, cwd) = last_record(&bytes, from);
        if found != Tail::NoRecord || from == 0 || window >= FARTHEST as u64 {
            return Ok((found, cwd));
        }
        window *= 8;
    }
}

fn last_record(bytes: &[u8], from: u64) -> (Tail, Option<String>) {
    let mut found = Tail::NoRecord;
    let mut rest = bytes;
    while !rest.is_empty() {
        let start = memchr::memrchr(b'\n', rest).map_or(0, |at| at + 1);
        // The first line in the window may lack its beginning.
        if start == 0 && from > 0 {
            break;
        }
        let line = rest.get(start..).unwrap_or_default();
        rest = rest.get(..start.saturating_sub(1)).unwrap_or_default();
        let Line::Record(record) = rollout::read_whole(line) else {
            continue;
        };
        if found == Tail::NoRecord {
            found = match record.ordinal {
                Some(ordinal) => Tail::Numbered(ordinal),
                None => Tail::Unnumbered(from + start as u64),
            };
        }
        if let Item::TurnContext(Some(cwd)) = record.item {
            return (found, Some(cwd));
        }
    }
    (found, None)
}
