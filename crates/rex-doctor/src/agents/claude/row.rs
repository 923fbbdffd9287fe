//! A row of the conversation in 72 bytes: what the client's rules ask of it, and where it lies in the file.

use std::hash::{DefaultHasher, Hash, Hasher};

use jiff::Timestamp;

use super::entry::{Block, Content, Fields, Message, Scalar, Shape};

/// The identity of a row: its uuid as a number, or a digest of a text that is none. Zero where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id(u128);

impl Id {
    /// No identity: the field is absent, null or empty.
    pub(super) const NONE: Self = Self(0);

    pub(super) fn of(text: &str) -> Self {
        if text.is_empty() {
            return Self::NONE;
        }
        if let Some(number) = uuid_number(text) {
            return Self(number);
        }
        let half = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            (salt, text).hash(&mut hasher);
            u128::from(hasher.finish())
        };
        Self(half(1) << 64 | half(2) | 1)
    }

    fn of_field(field: &Scalar) -> Self {
        match field {
            Scalar::Text(text) => Self::of(text),
            Scalar::Absent | Scalar::Null | Scalar::Bool(false) => Self::NONE,
            Scalar::Bool(true) | Scalar::Other => Self(1),
        }
    }

    pub(super) fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// Half of it, where a map is keyed by less.
    pub(super) fn low(self) -> u64 {
        self.0 as u64 ^ (self.0 >> 64) as u64
    }
}

/// The number of a uuid in its usual form, lower case only: the client compares texts.
fn uuid_number(text: &str) -> Option<u128> {
    let bytes = text.as_bytes();
    if bytes.len() != 36 {
        return None;
    }
    let mut number = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let digit = match (at, byte) {
            (8 | 13 | 18 | 23, b'-') => continue,
            (8 | 13 | 18 | 23, _) => return None,
            (_, b'0'..=b'9') => byte - b'0',
            (_, b'a'..=b'f') => byte - b'a' + 10,
            (_, _) => return None,
        };
        number = number << 4 | u128::from(digit);
    }
    Some(number)
}

/// What kind of row it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Assistant,
    Attachment,
    System,
    /// A row of older clients that stands between two others and is left out.
    Progress,
}

/// One property of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Mark {
    /// `isSidechain` is true.
    Side = 1 << 3,
    /// `isSidechain` is false; neither mark where it is absent.
    Main = 1 << 4,
    Meta = 1 << 5,
    /// It holds the summary of a compaction.
    Summary = 1 << 6,
    /// It is the boundary of a compaction.
    Boundary = 1 << 7,
    /// The compaction kept rows of the time before it.
    Keeps = 1 << 8,
    /// A system row that only holds a snapshot of files.
    Snapshot = 1 << 9,
    /// An attachment that briefs a fork.
    Briefing = 1 << 10,
    ToolUse = 1 << 11,
    ToolResult = 1 << 12,
    /// It says something: text, an image, a document.
    Says = 1 << 13,
    /// The client wrote its text.
    Harness = 1 << 14,
    /// It tells of an error of the API.
    ApiError = 1 << 15,
    Team = 1 << 16,
    /// `parentUuid` is not there at all.
    ParentAbsent = 1 << 17,
    /// `message` is null.
    MessageNull = 1 << 18,
    /// `message` is not there.
    MessageAbsent = 1 << 19,
    /// The message has no content that is a text or a list.
    ContentBad = 1 << 20,
    /// The content is a text.
    ContentText = 1 << 21,
    /// No block of the content is an object with a type, and there is at least one.
    BlocksBad = 1 << 22,
    /// It shares its line with another value.
    Joined = 1 << 23,
    /// It spreads over several lines.
    Spread = 1 << 30,
    /// It is not the first value of its line.
    Behind = 1 << 28,
    /// Its line has a carriage return after each value.
    Returned = 1 << 29,
    /// A byte order mark stands in front of it.
    AfterBom = 1 << 24,
    /// `uuid` is no text.
    UuidBad = 1 << 25,
    /// `parentUuid` names a row.
    HasParent = 1 << 26,
    /// A prompt or a reply with nothing in it, or only blanks.
    Hollow = 1 << 27,
}

/// A row, without its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Where its line begins.
    pub(super) offset_bytes: u64,
    pub(super) uuid: Id,
    pub(super) parent: Id,
    /// Digest of `message.id`; zero without one.
    pub(super) reply: u64,
    /// Digest of the id of its tool call, or of the call that it answers; zero without one.
    pub(super) tool: u64,
    /// Milliseconds since 1970; [`Row::NO_TIME`] where there is no time.
    pub(super) time_ms: i64,
    /// Digest of its line.
    pub(super) digest: u32,
    marks: u32,
}

impl Row {
    /// The time of a row that has none.
    pub(super) const NO_TIME: i64 = i64::MIN;

    /// The row that these fields make; none where they are no row of a conversation.
    pub(super) fn of(fields: &Fields, offset_bytes: u64) -> Option<Self> {
        let kind = match fields.kind.text()? {
            "user" => Kind::User,
            "assistant" => Kind::Assistant,
            "attachment" => Kind::Attachment,
            "system" => Kind::System,
            "progress" if fields.uuid.text().is_some() => Kind::Progress,
            _ => return None,
        };
        let mut row = Self {
            offset_bytes,
            uuid: Id::of_field(&fields.uuid),
            parent: Id::of_field(&fields.parent),
            reply: 0,
            tool: 0,
            time_ms: fields.timestamp.text().map_or(Self::NO_TIME, time_ms),
            digest: 0,
            marks: kind as u32,
        };
        for (holds, mark) in [
            (fields.is_sidechain.is_true(), Mark::Side),
            (fields.is_sidechain == Scalar::Bool(false), Mark::Main),
            (fields.is_meta.is_true(), Mark::Meta),
            (fields.is_summary.is_true(), Mark::Summary),
            (fields.is_api_error.is_true(), Mark::ApiError),
            (
                fields.team_name.text().is_some_and(|name| !name.is_empty()),
                Mark::Team,
            ),
            (fields.parent == Scalar::Absent, Mark::ParentAbsent),
            (!row.parent.is_none(), Mark::HasParent),
            (fields.uuid.text().is_none(), Mark::UuidBad),
            (
                fields.subtype.is("compact_boundary") && kind == Kind::System,
                Mark::Boundary,
            ),
            (fields.compaction.keeps_rows, Mark::Keeps),
            (
                fields.subtype.is("file_snapshot") && kind == Kind::System,
                Mark::Snapshot,
            ),
            (fields.attachment.0.is("fork_briefing"), Mark::Briefing),
        ] {
            if holds {
                row.mark(mark);
            }
        }
        row.read_message(&fields.message);
        Some(row)
    }

    fn read_message(&mut self, message: &Message) {
        match message {
            Message::Null => self.mark(Mark::MessageNull),
            Message::Absent => self.mark(Mark::MessageAbsent),
            Message::Other => self.mark(Mark::ContentBad),
            Message::Object(body) => {
                self.reply = body.id.text().map_or(0, digest);
                if body.model.is("<synthetic>") {
                    self.mark(Mark::ApiError);
                }
                self.note_hollow(&body.content);
                match &body.content {
                    Content::Text(shape) => {
                        self.mark(Mark::ContentText);
                        self.read_text(*shape);
                    }
                    Content::Blocks(blocks) => self.read_blocks(blocks),
                    Content::Absent | Content::Other => self.mark(Mark::ContentBad),
                }
            }
        }
    }

    /// Marks a message of which nothing is left.
    fn note_hollow(&mut self, content: &Content) {
        let is_blank = |block: &Block| block.kind.is("text") && !block.text.is_filled;
        let is_hollow = match content {
            Content::Text(shape) => !shape.is_filled,
            Content::Blocks(blocks) => blocks.iter().all(is_blank),
            Content::Absent | Content::Other => false,
        };
        if is_hollow && self.is_talk() {
            self.mark(Mark::Hollow);
        }
    }

    fn read_text(&mut self, shape: Shape) {
        if shape.is_filled {
            self.mark(Mark::Says);
        }
        if shape.is_harness {
            self.mark(Mark::Harness);
        }
    }

    fn read_blocks(&mut self, blocks: &[Block]) {
        let is_typed = |block: &Block| block.is_object && block.kind.text().is_some();
        if !blocks.is_empty() && !blocks.iter().any(is_typed) {
            self.mark(Mark::BlocksBad);
        }
        for block in blocks {
            match block.kind.text() {
                Some("text") => self.read_text(block.text),
                Some("image" | "document") => self.mark(Mark::Says),
                Some("tool_use") => {
                    self.mark(Mark::ToolUse);
                    self.tool = block.id.text().map_or(0, digest);
                }
                Some("tool_result") => {
                    self.mark(Mark::ToolResult);
                    self.tool = block.tool_use_id.text().map_or(0, digest);
                }
                Some(_) | None => {}
            }
        }
    }

    /// The same row so many bytes further on.
    pub(super) fn moved(self, by_bytes: u64) -> Self {
        Self {
            offset_bytes: self.offset_bytes + by_bytes,
            ..self
        }
    }

    pub(super) fn mark(&mut self, mark: Mark) {
        self.marks |= mark as u32;
    }

    pub(super) fn is(&self, mark: Mark) -> bool {
        self.marks & mark as u32 != 0
    }

    pub(super) fn kind(&self) -> Kind {
        match self.marks & 7 {
            0 => Kind::User,
            1 => Kind::Assistant,
            2 => Kind::Attachment,
            3 => Kind::System,
            _ => Kind::Progress,
        }
    }

    /// True for the rows that a conversation consists of.
    pub(super) fn is_talk(&self) -> bool {
        matches!(self.kind(), Kind::User | Kind::Assistant)
    }

    /// `isSidechain` as the client compares it: absent, false and true are three.
    pub(super) fn side(&self) -> u32 {
        self.marks & (Mark::Side as u32 | Mark::Main as u32)
    }

    /// True for a prompt of the person, whatever became of its text.
    pub(super) fn is_prompt(&self) -> bool {
        let says = self.is(Mark::Says) || self.is(Mark::Hollow) || self.lacks_message();
        self.kind() == Kind::User
            && says
            && ![Mark::Meta, Mark::Summary, Mark::Harness, Mark::ToolResult]
                .iter()
                .any(|mark| self.is(*mark))
    }

    /// True for a row of a reply of the model.
    pub(super) fn is_reply(&self) -> bool {
        let says = [Mark::Says, Mark::ToolUse, Mark::Hollow]
            .iter()
            .any(|mark| self.is(*mark));
        let says = says || self.lacks_message();
        self.kind() == Kind::Assistant && says && !self.is(Mark::ApiError)
    }

    /// True where the row has no message that a request could carry.
    pub(super) fn lacks_message(&self) -> bool {
        [
            Mark::MessageNull,
            Mark::MessageAbsent,
            Mark::ContentBad,
            Mark::BlocksBad,
        ]
        .iter()
        .any(|mark| self.is(*mark))
    }
}

/// A digest of a text, never zero.
pub(super) fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish() | 1
}

/// Milliseconds since 1970 of a time as the client writes it; [`Row::NO_TIME`] where it is none.
pub(super) fn time_ms(text: &str) -> i64 {
    text.parse::<Timestamp>()
        .map_or(Row::NO_TIME, Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::super::entry::Entry;
    use super::*;

    fn row(text: &str) -> Option<Row> {
        match serde_json::from_str(text).unwrap() {
            Entry::Row(fields) => Row::of(&fields, 0),
            Entry::Null | Entry::Other => None,
        }
    }

    #[test]
    fn ids_are_compared_as_texts() {
        let lower = Id::of("05d99db5-94c4-4413-a0e2-5bcd11901e0a");
        assert_eq!(lower, Id::of("05d99db5-94c4-4413-a0e2-5bcd11901e0a"));
        assert_ne!(lower, Id::of("05D99DB5-94C4-4413-A0E2-5BCD11901E0A"));
        assert_ne!(Id::of("a"), Id::of("b"));
        assert!(Id::of("").is_none() && !Id::of("x").is_none());
    }

    #[test]
    fn prompts_and_replies_are_told_from_what_surrounds_them() {
        for (text, expected) in [
            (r#"{"type":"user","message":{"content":"hello"}}"#, (true, false)),
            (
                r#"{"type":"user","isMeta":true,"message":{"content":"hello"}}"#,
                (false, false),
            ),
            (
                r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}"#,
                (false, false),
            ),
            (
                r#"{"type":"user","message":{"content":"<local-command-stdout>x"}}"#,
                (false, false),
            ),
            (r#"{"type":"user"}"#, (true, false)),
            (
                r#"{"type":"assistant","message":{"content":[{"type":"text","text":"a"}]}}"#,
                (false, true),
            ),
            (
                r#"{"type":"assistant","isMeta":true,"message":{"content":[{"type":"text","text":"a"}]}}"#,
                (false, true),
            ),
            (
                r#"{"type":"assistant","message":{"content":[{"type":"thinking"}]}}"#,
                (false, false),
            ),
            (
                r#"{"type":"assistant","isApiErrorMessage":true,"message":{"content":[{"type":"text","text":"a"}]}}"#,
                (false, false),
            ),
            (r#"{"type":"assistant","message":null}"#, (false, true)),
        ] {
            let row = row(text).unwrap();
            assert_eq!((row.is_prompt(), row.is_reply()), expected, "{text}");
        }
        assert_eq!(row(r#"{"type":"last-prompt"}"#), None);
    }

    #[test]
    fn times_are_milliseconds() {
        assert_eq!(time_ms("1970-01-01T00:00:01.234Z"), 1234);
        assert_eq!(time_ms("yesterday"), Row::NO_TIME);
    }
}
