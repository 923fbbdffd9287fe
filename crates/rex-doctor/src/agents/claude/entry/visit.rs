//! Reads the values, whatever a damaged log holds in their place.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::super::row::digest;
use super::{Block, Body, Compaction, Content, Entry, Fields, Message, Scalar, Shape, Tagged};

#[derive(serde::Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum Field {
    Type,
    Subtype,
    Uuid,
    ParentUuid,
    Timestamp,
    IsSidechain,
    IsMeta,
    IsCompactSummary,
    IsApiErrorMessage,
    TeamName,
    AgentId,
    Message,
    Attachment,
    CompactMetadata,
    LeafUuid,
    Explicit,
    Rewound,
    SessionId,
    Cwd,
    RelocatedCwd,
    Version,
    CustomTitle,
    AiTitle,
    LastPrompt,
    PreservedSegment,
    PreservedMessages,
    Id,
    Model,
    Content,
    #[serde(rename = "tool_use_id")]
    ToolUseId,
    Text,
    #[serde(other)]
    Unknown,
}

/// Writes a visitor that takes any value: `text`, `truth`, `null`, `other`, and objects and lists by their own words.
macro_rules! any_value {
    ($visitor:ident => $value:ty { text: $text:expr, truth: $truth:expr, null: $null:expr, other: $other:expr,
        map: $map:expr, list: $list:expr $(,)? }) => {
        struct $visitor;
        impl<'de> Visitor<'de> for $visitor {
            type Value = $value;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("any value")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok($text(text))
            }
            fn visit_bool<E: de::Error>(self, truth: bool) -> Result<Self::Value, E> {
                Ok($truth(truth))
            }
            fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
                Ok($null)
            }
            fn visit_i64<E: de::Error>(self, _: i64) -> Result<Self::Value, E> {
                Ok($other)
            }
            fn visit_u64<E: de::Error>(self, _: u64) -> Result<Self::Value, E> {
                Ok($other)
            }
            fn visit_f64<E: de::Error>(self, _: f64) -> Result<Self::Value, E> {
                Ok($other)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                $map(map)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                $list(list)
            }
        }
        impl<'de> Deserialize<'de> for $value {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                from.deserialize_any($visitor)
            }
        }
    };
}

fn skip_map<'de, A: MapAccess<'de>, T>(mut map: A, value: T) -> Result<T, A::Error> {
    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(value)
}

fn skip_list<'de, A: SeqAccess<'de>, T>(mut list: A, value: T) -> Result<T, A::Error> {
    while list.next_element::<IgnoredAny>()?.is_some() {}
    Ok(value)
}

any_value!(ScalarVisitor => Scalar {
    text: |text: &str| Scalar::Text(text.to_owned()),
    truth: Scalar::Bool,
    null: Scalar::Null,
    other: Scalar::Other,
    map: |map| skip_map(map, Scalar::Other),
    list: |list| skip_list(list, Scalar::Other),
});

any_value!(ShapeVisitor => Shape {
    text: shape_of,
    truth: |_| Shape::default(),
    null: Shape::default(),
    other: Shape::default(),
    map: |map| skip_map(map, Shape::default()),
    list: |list| skip_list(list, Shape::default()),
});

any_value!(TaggedVisitor => Tagged {
    text: |_: &str| Tagged::default(),
    truth: |_| Tagged::default(),
    null: Tagged::default(),
    other: Tagged::default(),
    map: tagged,
    list: |list| skip_list(list, Tagged::default()),
});

any_value!(CompactionVisitor => Compaction {
    text: |_: &str| Compaction::default(),
    truth: |_| Compaction::default(),
    null: Compaction::default(),
    other: Compaction::default(),
    map: compaction,
    list: |list| skip_list(list, Compaction::default()),
});

any_value!(BlockVisitor => Block {
    text: |_: &str| Block::default(),
    truth: |_| Block::default(),
    null: Block::default(),
    other: Block::default(),
    map: block,
    list: |list| skip_list(list, Block::default()),
});

any_value!(ContentVisitor => Content {
    text: |text: &str| Content::Text(shape_of(text)),
    truth: |_| Content::Other,
    null: Content::Other,
    other: Content::Other,
    map: |map| skip_map(map, Content::Other),
    list: blocks,
});

any_value!(MessageVisitor => Message {
    text: |_: &str| Message::Other,
    truth: |_| Message::Other,
    null: Message::Null,
    other: Message::Other,
    map: body,
    list: |list| skip_list(list, Message::Other),
});

any_value!(EntryVisitor => Entry {
    text: |_: &str| Entry::Other,
    truth: |_| Entry::Other,
    null: Entry::Null,
    other: Entry::Other,
    map: fields,
    list: |list| skip_list(list, Entry::Other),
});

/// Beginnings of texts that the client puts into user rows by itself.
const HARNESS: &[&str] = &[
    "<local-command-",
    "<command-name>/exit",
    "<command-message>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "<system-reminder>",
    "[Request interrupted by user",
    "Caveat: The messages below were generated by the user while running local commands",
];

fn shape_of(text: &str) -> Shape {
    let trimmed = text.trim();
    Shape {
        is_filled: !trimmed.is_empty(),
        is_harness: HARNESS.iter().any(|start| text.starts_with(start)),
        words: if trimmed.is_empty() { 0 } else { digest(trimmed) },
    }
}

fn tagged<'de, A: MapAccess<'de>>(mut map: A) -> Result<Tagged, A::Error> {
    let mut kind = Scalar::Absent;
    while let Some(name) = map.next_key::<Field>()? {
        match name {
            Field::Type => kind = map.next_value()?,
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
    }
    Ok(Tagged(kind))
}

fn compaction<'de, A: MapAccess<'de>>(mut map: A) -> Result<Compaction, A::Error> {
    let mut keeps_rows = false;
    while let Some(name) = map.next_key::<Field>()? {
        match name {
            Field::PreservedSegment | Field::PreservedMessages => {
                keeps_rows |= !matches!(map.next_value()?, Scalar::Null | Scalar::Bool(false));
            }
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
    }
    Ok(Compaction { keeps_rows })
}

fn block<'de, A: MapAccess<'de>>(mut map: A) -> Result<Block, A::Error> {
    let mut block = Block {
        is_object: true,
        ..Block::default()
    };
    while let Some(name) = map.next_key::<Field>()? {
        match name {
            Field::Type => block.kind = map.next_value()?,
            Field::Id => block.id = map.next_value()?,
            Field::ToolUseId => block.tool_use_id = map.next_value()?,
            Field::Text => block.text = map.next_value()?,
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
    }
    Ok(block)
}

fn blocks<'de, A: SeqAccess<'de>>(mut list: A) -> Result<Content, A::Error> {
    let mut blocks = vec![];
    while let Some(block) = list.next_element()? {
        blocks.push(block);
    }
    Ok(Content::Blocks(blocks))
}

fn body<'de, A: MapAccess<'de>>(mut map: A) -> Result<Message, A::Error> {
    let mut body = Body::default();
    while let Some(name) = map.next_key::<Field>()? {
        match name {
            Field::Id => body.id = map.next_value()?,
            Field::Model => body.model = map.next_value()?,
            Field::Content => body.content = map.next_value()?,
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
    }
    Ok(Message::Object(body))
}

fn fields<'de, A: MapAccess<'de>>(mut map: A) -> Result<Entry, A::Error> {
    let mut row = Box::<Fields>::default();
    while let Some(name) = map.next_key::<Field>()? {
        let field = match name {
            Field::Message => {
                row.message = map.next_value()?;
                continue;
            }
            Field::Attachment => {
                row.attachment = map.next_value()?;
                continue;
            }
            Field::Content | Field::LastPrompt => {
                row.prompt = map.next_value()?;
                continue;
            }
            Field::CompactMetadata => {
                row.compaction = map.next_value()?;
                continue;
            }
            other => row.field(&other),
        };
        match field {
            Some(field) => *field = map.next_value()?,
            None => drop(map.next_value::<IgnoredAny>()?),
        }
    }
    Ok(Entry::Row(row))
}

impl Fields {
    fn field(&mut self, name: &Field) -> Option<&mut Scalar> {
        Some(match name {
            Field::Type => &mut self.kind,
            Field::Subtype => &mut self.subtype,
            Field::Uuid => &mut self.uuid,
            Field::ParentUuid => &mut self.parent,
            Field::Timestamp => &mut self.timestamp,
            Field::IsSidechain => &mut self.is_sidechain,
            Field::IsMeta => &mut self.is_meta,
            Field::IsCompactSummary => &mut self.is_summary,
            Field::IsApiErrorMessage => &mut self.is_api_error,
            Field::TeamName => &mut self.team_name,
            Field::AgentId => &mut self.agent_id,
            Field::LeafUuid => &mut self.leaf,
            Field::Explicit => &mut self.explicit,
            Field::Rewound => &mut self.rewound,
            Field::SessionId => &mut self.session,
            Field::Cwd => &mut self.cwd,
            Field::RelocatedCwd => &mut self.relocated_cwd,
            Field::Version => &mut self.version,
            Field::CustomTitle => &mut self.custom_title,
            Field::AiTitle => &mut self.ai_title,
            Field::Message
            | Field::Attachment
            | Field::CompactMetadata
            | Field::PreservedSegment
            | Field::PreservedMessages
            | Field::Id
            | Field::Model
            | Field::Content
            | Field::LastPrompt
            | Field::ToolUseId
            | Field::Text
            | Field::Unknown => return None,
        })
    }
}
