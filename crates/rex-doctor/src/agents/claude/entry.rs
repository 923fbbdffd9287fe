//! One JSON value of a log, as far as any rule of the client looks at it. Whatever else a field holds in a damaged
//! log, the value still reads; texts are judged and not kept.

mod visit;

/// A field that should be a text or a truth value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Scalar {
    #[default]
    Absent,
    Null,
    Bool(bool),
    Text(String),
    Other,
}

impl Scalar {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Scalar::Text(text) => Some(text),
            Scalar::Absent | Scalar::Null | Scalar::Bool(_) | Scalar::Other => None,
        }
    }

    pub(super) fn is_true(&self) -> bool {
        *self == Scalar::Bool(true)
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.text() == Some(text)
    }

    pub(super) fn into_text(self) -> Option<String> {
        match self {
            Scalar::Text(text) => Some(text),
            Scalar::Absent | Scalar::Null | Scalar::Bool(_) | Scalar::Other => None,
        }
    }
}

/// What a text is, without its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// It holds something but blanks.
    pub(super) is_filled: bool,
    /// The client wrote it, not the person: output of a local command, a notice.
    pub(super) is_harness: bool,
    /// Digest of its words; zero where it holds none.
    pub(super) words: u64,
}

/// One block of a message's content.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    pub(super) kind: Scalar,
    pub(super) id: Scalar,
    pub(super) tool_use_id: Scalar,
    pub(super) text: Shape,
    pub(super) is_object: bool,
}

/// What a message says.
#[derive(Clone, Debug, Default)]
pub(super) enum Content {
    #[default]
    Absent,
    Text(Shape),
    Blocks(Vec<Block>),
    Other,
}

/// The `message` of a row.
#[derive(Clone, Debug, Default)]
pub(super) enum Message {
    #[default]
    Absent,
    Null,
    Object(Body),
    Other,
}

/// The fields of a message.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub(super) id: Scalar,
    pub(super) model: Scalar,
    pub(super) content: Content,
}

/// The fields of a row.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    pub(super) kind: Scalar,
    pub(super) subtype: Scalar,
    pub(super) uuid: Scalar,
    pub(super) parent: Scalar,
    pub(super) timestamp: Scalar,
    pub(super) is_sidechain: Scalar,
    pub(super) is_meta: Scalar,
    pub(super) is_summary: Scalar,
    pub(super) is_api_error: Scalar,
    pub(super) team_name: Scalar,
    pub(super) agent_id: Scalar,
    pub(super) message: Message,
    pub(super) attachment: Tagged,
    pub(super) compaction: Compaction,
    pub(super) leaf: Scalar,
    pub(super) explicit: Scalar,
    pub(super) rewound: Scalar,
    pub(super) session: Scalar,
    pub(super) cwd: Scalar,
    pub(super) relocated_cwd: Scalar,
    pub(super) version: Scalar,
    pub(super) custom_title: Scalar,
    pub(super) ai_title: Scalar,
    /// The text of a side record of a prompt.
    pub(super) prompt: Shape,
}

/// The `type` inside an object.
#[derive(Clone, Debug, Default)]
pub(super) struct Tagged(pub(super) Scalar);

/// Whether a compaction kept rows of the time before it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Compaction {
    pub(super) keeps_rows: bool,
}

/// One value of a log.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Row(Box<Fields>),
    Null,
    /// A value that is neither an object nor null.
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_reads_whatever_its_fields_hold() {
        let text = r#"{"type":"user","uuid":7,"parentUuid":null,"isMeta":"x","message":{"id":[1],"content":
            [{"type":"text","text":" "},3,{"type":"tool_result","tool_use_id":"t"}]},"deep":[[[{"a":[]}]]]}"#;
        let Ok(Entry::Row(row)) = serde_json::from_str(text) else {
            panic!("it does not read");
        };
        assert!(row.kind.is("user") && row.uuid == Scalar::Other && row.parent == Scalar::Null);
        let Message::Object(Body {
            content: Content::Blocks(blocks),
            ..
        }) = row.message
        else {
            panic!("no blocks");
        };
        let kinds: Vec<_> = blocks.iter().map(|block| block.kind.text()).collect();
        assert_eq!(kinds, [Some("text"), None, Some("tool_result")]);
        assert!(!blocks[0].text.is_filled && blocks[2].tool_use_id.is("t"));
    }

    #[test]
    fn values_that_are_no_rows_are_told_apart() {
        for (text, is_null) in [
            ("null", true),
            ("[1,{\"a\":2}]", false),
            ("42", false),
            ("\"x\"", false),
        ] {
            let read: Entry = serde_json::from_str(text).unwrap();
            assert_eq!(matches!(read, Entry::Null), is_null, "{text}");
            assert!(!matches!(read, Entry::Row(_)), "{text}");
        }
    }
}
