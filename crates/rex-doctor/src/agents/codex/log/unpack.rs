//! Reads rollouts that are packed with zstd, as a stream.

use std::io::Read;
use std::path::Path;

use rex_store::jsonl::Lines;

use super::{Rollout, Tail, plain};
use crate::agents::codex::conversation::Conversation;
use crate::agents::codex::meta::{Beginning, First, Head};
use crate::agents::codex::rollout::{self, Item, Line};
use crate::evidence::{Says, Why};
use crate::place::LogFile;

/// The widest window, as a power of two, that is unpacked: 32 MiB.
const WINDOW_LOG_MAX: u32 = 25;

/// Unpacks a file as it is read.
pub(super) fn unpacked(file: LogFile) -> std::io::Result<impl Read> {
    let mut decoder = zstd::stream::read::Decoder::new(file)?;
    decoder.window_log_max(WINDOW_LOG_MAX)?;
    Ok(decoder)
}

/// Reads the beginning and the end of a packed file; for the end all of it must be unpacked.
pub(super) fn read(path: &Path, file: LogFile) -> Says<Rollout> {
    let stat = file.stat().clone();
    let mut beginning = Beginning::default();
    let mut tail = Tail::NoRecord;
    let mut last_cwd = None;
    let walked = unpacked(file).and_then(|input| {
        let mut is_begun = false;
        let mut lines = Lines::new(input);
        while let Some(line) = lines.read()? {
            is_begun = is_begun || beginning.take(line.text);
            if !line.is_whole() {
                continue;
            }
            let Line::Record(record) = rollout::read_whole(line.text) else {
                continue;
            };
            tail = record
                .ordinal
                .map_or(Tail::Unnumbered(line.offset), Tail::Numbered);
            if let Item::TurnContext(Some(cwd)) = record.item {
                last_cwd = Some(cwd);
            }
        }
        Ok(())
    });
    let (head, first) = match (walked, beginning.found()) {
        (Err(error), (Head::Empty, _)) => (Head::NotUnpacked(error.to_string()), First::Nothing),
        (_, found) => found,
    };
    Says::Read(Rollout {
        path: path.to_path_buf(),
        bytes: stat.bytes,
        modified: stat.modified,
        head,
        first,
        is_pre_envelope: false,
        tail,
        last_cwd,
    })
}

/// Counts the messages of a packed file.
pub(super) fn replay(
    file: LogFile,
    end_byte_offset: Option<u64>,
    conversation: &mut Conversation,
) -> Says<()> {
    match unpacked(file).and_then(|input| plain::walk(input, end_byte_offset, conversation)) {
        Ok(()) => Says::Read(()),
        Err(error) => Says::Unreadable(Why::Damaged(error.to_string())),
    }
}
