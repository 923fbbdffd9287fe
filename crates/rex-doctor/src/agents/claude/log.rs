//! Reads a log and judges nothing: its rows in file order, what stands between them, and the lines that are no rows.

// Its checks.
pub(super) mod bad_lines;
pub(super) mod chain_gap;
pub(super) mod cleaned;
pub(super) mod cleanup_due;
pub(super) mod compacted;
pub(super) mod duplicate_uuid;
pub(super) mod extra_root;
pub(super) mod large;
pub(super) mod lost;
pub(super) mod malformed_row;
pub(super) mod no_chain_rows;
pub(super) mod not_a_log;
pub(super) mod not_read_whole;
pub(super) mod not_writable;
pub(super) mod open_tool_pair;
pub(super) mod parent_loop;
pub(super) mod prompt_without_text;
pub(super) mod rewound;
pub(super) mod rows_without_uuid;
pub(super) mod two_branches;
pub(super) mod unreadable;

mod reading;
mod spread;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::entry::{Content, Entry, Fields, Message, Scalar, Shape};
use super::row::{Id, Mark, Row, digest};
use super::torn::Torn;
use crate::evidence::Why;
use jiff::Timestamp;

/// The most lines without a row that are kept with their place.
const MOST_FAULTS: usize = 1000;

/// The most prompts whose words are kept, to tell which side records have a row.
const MOST_PROMPTS: usize = 100_000;

/// The most rows that are held.
const MOST_ROWS: usize = 200_000;

/// Everything that a log says.
#[derive(Clone, Debug)]
pub(super) struct Transcript {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    pub(super) modified: Timestamp,
    /// Rows of the conversation, in file order.
    pub(super) rows: Vec<Row>,
    /// What changes the place to go on from, each with the number of rows before it.
    pub(super) pointers: Vec<(usize, Pointer)>,
    /// Digests of the texts of prompts, and of those in side records.
    pub(super) prompt_words: HashSet<u64>,
    pub(super) side_prompts: HashSet<u64>,
    /// Tools' ids beyond the one that a row keeps.
    pub(super) more_tools: Vec<(Mark, u64)>,
    /// Rows with a message whose `type` no client knows: digests of their replies' ids, and where they lie.
    pub(super) strangers: Vec<(u64, u64)>,
    /// Lines that are no JSON value, or more than one.
    pub(super) faults: Vec<Torn>,
    /// How many there are, also those that are not kept.
    pub(super) fault_count: u64,
    /// Where a line holds `null`.
    pub(super) null_line: Option<u64>,
    /// Lines with anything else.
    pub(super) side_lines: u64,
    /// Values with no row of a conversation.
    pub(super) longest_line_bytes: u64,
    /// What its rows say about the session.
    pub(super) facts: Facts,
    /// The first bytes that are not UTF-8, as an offset in the file.
    pub(super) bad_utf8: Option<u64>,
    /// The bytes `"type":"user"` or `"type":"assistant"` stand in some line.
    pub(super) is_usable: bool,
    /// The bytes `"parentUuid":` stand in some line.
    pub(super) names_parents: bool,
    /// Why reading ended before the end of the file.
    pub(super) cut: Option<Why>,
    /// The first bytes.
    pub(super) starts_with: Vec<u8>,
}

/// A row that changes the place to go on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pointer {
    /// It names a row.
    To {
        leaf: Id,
        is_explicit: bool,
        is_rewound: bool,
    },
    /// The conversation was rewound to nothing.
    Empty,
    /// It names no row and says nothing.
    Silent,
    /// `leafUuid` is null, which still counts as having one.
    Null,
}

/// What the rows say about the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// The first recorded folder.
    pub(super) cwd: Option<String>,
    /// The last folder that it was moved to.
    pub(super) relocated_cwd: Option<String>,
    pub(super) custom_title: Option<String>,
    pub(super) ai_title: Option<String>,
    /// The session that the last row of the conversation names.
    pub(super) session: Option<String>,
    /// The client's versions, in the order of their first row.
    pub(super) versions: Vec<String>,
    pub(super) last_version: Option<String>,
    /// The newest time of a row.
    pub(super) last_ms: Option<i64>,
}

impl Facts {
    fn read(&mut self, fields: &mut Fields) {
        let take = |field: &mut Scalar| std::mem::take(field).into_text();
        match fields.kind.text() {
            Some("custom-title") => {
                self.custom_title = take(&mut fields.custom_title).or(self.custom_title.take());
            }
            Some("ai-title") => self.ai_title = take(&mut fields.ai_title).or(self.ai_title.take()),
            Some("relocated") => self.relocated_cwd = take(&mut fields.relocated_cwd),
            Some("user" | "assistant" | "attachment" | "system") => {
                if let Some(version) = take(&mut fields.version) {
                    if !self.versions.contains(&version) && self.versions.len() < 64 {
                        self.versions.push(version.clone());
                    }
                    self.last_version = Some(version);
                }
                self.session = take(&mut fields.session).or(self.session.take());
            }
            Some(_) | None => {}
        }
        if self.cwd.is_none() {
            self.cwd = take(&mut fields.cwd);
        }
    }
}

impl Transcript {
    /// A log of which nothing was read yet.
    pub(super) fn empty(path: &Path, bytes: u64, modified: Timestamp) -> Self {
        Self {
            path: path.to_owned(),
            bytes,
            modified,
            rows: vec![],
            pointers: vec![],
            prompt_words: HashSet::new(),
            side_prompts: HashSet::new(),
            more_tools: vec![],
            strangers: vec![],
            faults: vec![],
            fault_count: 0,
            null_line: None,
            side_lines: 0,
            longest_line_bytes: 0,
            facts: Facts::default(),
            bad_utf8: None,
            is_usable: false,
            names_parents: false,
            cut: None,
            starts_with: vec![],
        }
    }

    fn fault(&mut self, torn: Torn) {
        self.fault_count += 1;
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(torn);
        }
    }

    fn note(&mut self, entry: Entry, offset: u64, digest: u32, marks: &[(bool, Mark)]) {
        let mut fields = match entry {
            Entry::Row(fields) => fields,
            Entry::Null => {
                self.null_line.get_or_insert(offset);
                return;
            }
            Entry::Other => {
                self.side_lines += 1;
                return;
            }
        };
        if self.rows.len() >= MOST_ROWS {
            self.cut = Some(Why::TooMuch {
                limit: MOST_ROWS as u64,
                unit: "rows",
            });
            return;
        }
        if let Some(mut row) = Row::of(&fields, offset) {
            row.digest = digest;
            for (_, mark) in marks.iter().filter(|(holds, _)| *holds) {
                row.mark(*mark);
            }
            if row.time_ms != Row::NO_TIME {
                self.facts.last_ms = self.facts.last_ms.max(Some(row.time_ms));
            }
            self.note_blocks(&fields);
            self.rows.push(row);
        } else {
            self.side_lines += 1;
            self.note_stranger(&fields, offset);
            let is_side_record = fields.kind.is("queue-operation") || fields.kind.is("last-prompt");
            if is_side_record && fields.prompt.is_filled && self.side_prompts.len() < MOST_PROMPTS {
                self.side_prompts.insert(fields.prompt.words);
            }
            if fields.kind.is("last-prompt") {
                self.pointers.push((self.rows.len(), Pointer::of(&fields)));
            }
        }
        self.facts.read(&mut fields);
    }

    fn note_stranger(&mut self, fields: &Fields, offset: u64) {
        if let Message::Object(body) = &fields.message
            && fields.uuid.text().is_some()
            && !fields.is_sidechain.is_true()
            && self.strangers.len() < MOST_FAULTS
        {
            self.strangers.push((body.id.text().map_or(0, digest), offset));
            self.note_blocks(fields);
        }
    }

    /// Keeps what a row has no room for: the words of a prompt, and the ids of several tools.
    fn note_blocks(&mut self, fields: &Fields) {
        let Message::Object(body) = &fields.message else {
            return;
        };
        let is_user = !fields.kind.is("assistant");
        let mut keep = |shape: Shape| {
            if is_user && shape.is_filled && self.prompt_words.len() < MOST_PROMPTS {
                self.prompt_words.insert(shape.words);
            }
        };
        let blocks = match &body.content {
            Content::Text(shape) => return keep(*shape),
            Content::Blocks(blocks) => blocks,
            Content::Absent | Content::Other => return,
        };
        for block in blocks {
            keep(block.text);
        }
        let ids = blocks.iter().filter_map(|block| match block.kind.text()? {
            "tool_use" => Some((Mark::ToolUse, block.id.text()?)),
            "tool_result" => Some((Mark::ToolResult, block.tool_use_id.text()?)),
            _ => None,
        });
        let ids: Vec<_> = ids.map(|(mark, id)| (mark, digest(id))).collect();
        if ids.len() > 1 {
            self.more_tools.extend(ids);
        }
    }

    /// The tools' ids of the rows with that mark.
    pub(super) fn tools(&self, mark: Mark) -> impl Iterator<Item = u64> + '_ {
        let rows = self
            .rows
            .iter()
            .filter(move |row| row.is(mark))
            .map(|row| row.tool);
        let more = self.more_tools.iter().filter(move |(of, _)| *of == mark);
        rows.chain(more.map(|(_, tool)| *tool)).filter(|tool| *tool != 0)
    }
}

impl Pointer {
    fn of(fields: &Fields) -> Self {
        match &fields.leaf {
            Scalar::Text(leaf) if !leaf.is_empty() => Pointer::To {
                leaf: Id::of(leaf),
                is_explicit: fields.explicit.is_true(),
                is_rewound: fields.rewound.is_true(),
            },
            Scalar::Null if fields.explicit.is_true() => Pointer::Empty,
            Scalar::Null => Pointer::Null,
            Scalar::Absent | Scalar::Text(_) | Scalar::Bool(_) | Scalar::Other => Pointer::Silent,
        }
    }
}
