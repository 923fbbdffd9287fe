//! Takes out of a line of a rollout what the forecast needs, borrowing from it.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::other::{OTHER_EVENTS, OTHER_TYPES};
use super::{Item, Record, Replacement, Role};

/// A line, as far as rules look into it.
#[derive(Deserialize)]
pub(super) struct Raw<'a> {
    #[serde(rename = "timestamp", borrow)]
    _timestamp: Cow<'a, str>,
    ordinal: Option<u64>,
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    payload: Payload<'a>,
}

#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    role: Option<Cow<'a, str>>,
    #[serde(default)]
    content: Content,
    #[serde(rename = "internal_chat_message_metadata_passthrough", borrow)]
    passed: Option<Passed<'a>>,
    #[serde(borrow)]
    item: Option<ShownItem<'a>>,
    num_turns: Option<u64>,
    message: Option<IgnoredAny>,
    #[serde(borrow)]
    replacement_history: Option<Vec<Kept<'a>>>,
    #[serde(borrow)]
    cwd: Option<Cow<'a, str>>,
    last_agent_message: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Passed<'a> {
    #[serde(borrow)]
    content_item_kinds: Option<Vec<Cow<'a, str>>>,
}

#[derive(Deserialize)]
struct ShownItem<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Kept<'a> {
    #[serde(rename = "type", borrow)]
    _kind: Cow<'a, str>,
    #[serde(borrow)]
    role: Option<Cow<'a, str>>,
    #[serde(default)]
    content: Content,
    #[serde(rename = "internal_chat_message_metadata_passthrough", borrow)]
    passed: Option<Passed<'a>>,
}

impl Raw<'_> {
    /// The record, or none where the client would not take it.
    pub(super) fn record(self) -> Option<Record> {
        let payload = self.payload;
        let item = match &*self.kind {
            "session_meta" => Item::Meta,
            "response_item" => payload.response()?,
            "event_msg" => payload.event()?,
            "compacted" if payload.message.is_none() => return None,
            "compacted" => Item::Compacted(payload.replacement_history.as_deref().map(replacement)),
            "turn_context" => Item::TurnContext(payload.cwd.map(Cow::into_owned)),
            kind if OTHER_TYPES.contains(&kind) => Item::Other,
            _ => return None,
        };
        Some(Record {
            ordinal: self.ordinal,
            item,
        })
    }
}

impl Payload<'_> {
    fn response(&self) -> Option<Item> {
        let kind = self.kind.as_deref()?;
        if kind != "message" {
            return Some(Item::Response);
        }
        if self.content.is_empty {
            return Some(Item::Response);
        }
        let person = is_persons(self.passed.as_ref(), &self.content);
        Some(match self.role.as_deref()? {
            "user" if person => Item::Message(Role::User),
            "assistant" => Item::Message(Role::Assistant),
            _ => Item::Response,
        })
    }

    fn event(&self) -> Option<Item> {
        Some(match self.kind.as_deref()? {
            "task_started" | "turn_started" => Item::TurnStarted,
            "task_complete" | "turn_complete" => Item::TurnEnded(self.last_agent_message.is_some()),
            "turn_aborted" => Item::TurnEnded(false),
            "user_message" => Item::Shown(Role::User),
            "agent_message" => Item::Shown(Role::Assistant),
            "item_completed" => match self.item.as_ref().and_then(|item| item.kind.as_deref()) {
                Some("UserMessage") => Item::Shown(Role::User),
                Some("AgentMessage") => Item::Shown(Role::Assistant),
                _ => Item::Other,
            },
            "thread_rolled_back" => Item::RolledBack(self.num_turns?),
            kind if OTHER_EVENTS.contains(&kind) => Item::Other,
            // The client skips events that it does not know, so such a line cannot be a file's last record.
            _ => return None,
        })
    }
}

fn replacement(kept: &[Kept<'_>]) -> Replacement {
    let count = |wanted: &dyn Fn(&Kept<'_>) -> bool| kept.iter().filter(|item| wanted(item)).count() as u64;
    Replacement {
        prompts: count(&|item| {
            item.role.as_deref() == Some("user") && is_persons(item.passed.as_ref(), &item.content)
        }),
        replies: count(&|item| item.role.as_deref() == Some("assistant")),
    }
}

fn is_persons(passed: Option<&Passed<'_>>, content: &Content) -> bool {
    match passed.and_then(|passed| passed.content_item_kinds.as_ref()) {
        Some(kinds) if !kinds.is_empty() => kinds.iter().any(|kind| kind.starts_with("user.")),
        _ => !content.is_harness,
    }
}

/// Beginnings of user messages that the harness wrote, in files whose messages do not say who did.
const HARNESS: &[&str] = &[
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<skill",
    "<turn_aborted>",
    "<subagent_notification>",
    "<user_shell_command>",
    "# AGENTS.md instructions",
    "Another language model started to solve this problem",
];

/// True for a text that the harness wrote.
pub(super) fn is_harness_text(text: &str) -> bool {
    let text = text.trim_start();
    HARNESS.iter().any(|start| text.starts_with(start))
}

/// The parts of a message. Of their text only the beginning of the first is looked at.
#[derive(Default)]
struct Content {
    is_empty: bool,
    is_harness: bool,
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Parts;
        impl<'de> serde::de::Visitor<'de> for Parts {
            type Value = Content;
            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("the parts of a message")
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut parts: A) -> Result<Content, A::Error> {
                #[derive(Deserialize)]
                struct Part<'a> {
                    #[serde(borrow)]
                    text: Option<Cow<'a, str>>,
                }
                let mut content = Content::default();
                let mut is_first = true;
                while is_first {
                    is_first = false;
                    let Some(part) = parts.next_element::<Part<'de>>()? else {
                        content.is_empty = true;
                        return Ok(content);
                    };
                    content.is_harness = part.text.is_some_and(|text| is_harness_text(&text));
                }
                while parts.next_element::<IgnoredAny>()?.is_some() {}
                Ok(content)
            }
            fn visit_unit<E>(self) -> Result<Content, E> {
                Ok(Content::default())
            }
            fn visit_str<E>(self, _: &str) -> Result<Content, E> {
                Ok(Content::default())
            }
        }
        input.deserialize_any(Parts)
    }
}
