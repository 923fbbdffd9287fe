//! One line of a rollout (Codex's word for the log of a session), as the client reads it. Only what the forecast needs
//! is taken out of a line: no tree is built, and lines that no rule looks into are told by their first bytes.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// What a line holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// The first record of a rollout.
    Meta,
    /// A message that the model sees. A prompt of the person or a reply, never what the harness wrote.
    Message(Role),
    /// Any other item that the model sees: tool calls, reasoning, the harness's own messages.
    Response,
    /// A turn begins.
    TurnStarted,
    /// A turn ends; true where the record holds the reply's text.
    TurnEnded(bool),
    /// The terminal was shown a message: a side record of it.
    Shown(Role),
    /// The last turns were taken back.
    RolledBack(u64),
    /// All before was replaced; none where the record leaves it to the client to build the replacement.
    Compacted(Option<Replacement>),
    /// The settings of a turn, with the folder it ran in.
    TurnContext(Option<String>),
    /// Something that no rule looks at.
    Other,
}

/// The messages that a compaction keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Replacement {
    /// Prompts of the person.
    pub(super) prompts: u64,
    /// Replies of the model.
    pub(super) replies: u64,
}

/// A line that the client would take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// Its number in the file, if it has one.
    pub(super) ordinal: Option<u64>,
    /// What it holds.
    pub(super) item: Item,
}

/// What became of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing but white space.
    Blank,
    /// The client takes it.
    Record(Record),
    /// The client skips it. A message is named where the bytes still show that it was one.
    Rejected(Option<Role>),
}

/// Reads one line, without its line end.
pub(super) fn read(line: &[u8]) -> Line {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Line::Blank;
    }
    if let Some(record) = at_a_glance(line) {
        return Line::Record(record);
    }
    read_whole(line)
}

/// Reads one line and proves that all of it parses.
pub(super) fn read_whole(line: &[u8]) -> Line {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Line::Blank;
    }
    match serde_json::from_slice::<Raw<'_>>(line) {
        Ok(raw) => raw.record().map_or(Line::Rejected(None), Line::Record),
        Err(_) => Line::Rejected(torn_message(line)),
    }
}

/// Reads the beginning of a line that is too long to be kept; the client takes such lines.
pub(super) fn read_beginning(start: &[u8]) -> Line {
    let item = match torn_message(start) {
        Some(role) => Item::Message(role),
        None => at_a_glance(start).map_or(Item::Other, |record| record.item),
    };
    Line::Record(Record { ordinal: None, item })
}

/// The kinds of items that no rule looks into, by the type of the line.
const PLAIN_RESPONSES: &[&[u8]] = &[
    b"reasoning",
    b"function_call",
    b"function_call_output",
    b"custom_tool_call",
    b"custom_tool_call_output",
    b"local_shell_call",
    b"tool_search_call",
    b"tool_search_output",
    b"web_search_call",
    b"image_generation_call",
];
const PLAIN_EVENTS: &[&[u8]] = &[
    b"token_count",
    b"agent_reasoning",
    b"exec_command_begin",
    b"exec_command_end",
    b"exec_command_output_delta",
    b"patch_apply_begin",
    b"patch_apply_end",
    b"mcp_tool_call_begin",
    b"mcp_tool_call_end",
    b"web_search_begin",
    b"web_search_end",
    b"thread_settings_applied",
];

/// Tells the records that no rule looks into by their first bytes, in the order in which the client writes them.
fn at_a_glance(line: &[u8]) -> Option<Record> {
    let rest = line.strip_prefix(b"{\"timestamp\":\"")?;
    let (_, rest) = split_at_quote(rest)?;
    let (ordinal, rest) = match rest.strip_prefix(b",\"ordinal\":") {
        Some(rest) => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (number, rest) = rest.split_at_checked(digits)?;
            (Some(std::str::from_utf8(number).ok()?.parse().ok()?), rest)
        }
        None => (None, rest),
    };
    let (kind, rest) = split_at_quote(rest.strip_prefix(b",\"type\":\"")?)?;
    let rest = rest.strip_prefix(b",\"payload\":{")?;
    let plain = match kind {
        b"response_item" => PLAIN_RESPONSES,
        b"event_msg" => PLAIN_EVENTS,
        b"world_state" | b"token_usage_record" => {
            return Some(Record {
                ordinal,
                item: Item::Other,
            });
        }
        _ => return None,
    };
    let (inner, _) = split_at_quote(rest.strip_prefix(b"\"type\":\"")?)?;
    let item = if kind == b"response_item" {
        Item::Response
    } else {
        Item::Other
    };
    plain.contains(&inner).then_some(Record { ordinal, item })
}

fn split_at_quote(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr2(b'"', b'\\', bytes)?;
    let (before, after) = bytes.split_at_checked(end)?;
    Some((before, after.strip_prefix(b"\"")?))
}

/// Whose message a line was that no longer parses, where its bytes still show it.
fn torn_message(line: &[u8]) -> Option<Role> {
    let find = |what: &[u8]| memchr::memmem::find(line, what);
    find(b"\"response_item\"")?;
    find(b"\"message\"")?;
    let after = find(b"\"role\"").and_then(|at| line.get(at + 6..))?;
    let value = after
        .trim_ascii_start()
        .strip_prefix(b":")?
        .trim_ascii_start()
        .strip_prefix(b"\"")?;
    if value.starts_with(b"a") || value.is_empty() {
        return Some(Role::Assistant);
    }
    let text = find(b"\"text\"")
        .and_then(|at| line.get(at + 6..))
        .unwrap_or_default();
    let text = text
        .trim_ascii_start()
        .strip_prefix(b":")
        .unwrap_or(text)
        .trim_ascii_start();
    let text = String::from_utf8_lossy(text.strip_prefix(b"\"").unwrap_or(text));
    (value.starts_with(b"u") && !is_harness_text(&text)).then_some(Role::User)
}

/// The types of lines that no rule looks into.
const OTHER_TYPES: &[&str] = &[
    "world_state",
    "token_usage_record",
    "dynamic_tools_updated",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "realtime_item",
    "retained_context",
    "security_risk_score",
];

/// The events that no rule looks into.
const OTHER_EVENTS: &[&str] = &[
    "token_count",
    "error",
    "warning",
    "stream_error",
    "background_event",
    "deprecation_notice",
    "turn_diff",
    "context_compacted",
    "thread_settings_applied",
    "thread_goal_updated",
    "thread_queue_changed",
    "thread_name_updated",
    "session_configured",
    "environment_connected",
    "environment_disconnected",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "agent_reasoning_section_break",
    "agent_message_delta",
    "agent_message_content_delta",
    "agent_reasoning_delta",
    "agent_reasoning_raw_content_delta",
    "plan_delta",
    "reasoning_content_delta",
    "reasoning_raw_content_delta",
    "plan_update",
    "item_started",
    "raw_response_item",
    "raw_response_completed",
    "exec_command_begin",
    "exec_command_output_delta",
    "exec_command_end",
    "terminal_interaction",
    "exec_approval_request",
    "request_permissions",
    "request_user_input",
    "apply_patch_approval_request",
    "patch_apply_begin",
    "patch_apply_updated",
    "patch_apply_end",
    "mcp_startup_update",
    "mcp_startup_complete",
    "mcp_tool_call_begin",
    "mcp_tool_call_end",
    "mcp_list_tools_response",
    "list_custom_prompts_response",
    "list_skills_response",
    "skills_update_available",
    "get_history_entry_response",
    "web_search_begin",
    "web_search_end",
    "image_generation_begin",
    "image_generation_end",
    "view_image_tool_call",
    "dynamic_tool_call_request",
    "dynamic_tool_call_response",
    "elicitation_request",
    "elicitation_abandoned",
    "guardian_assessment",
    "guardian_warning",
    "undo_started",
    "undo_completed",
    "shutdown_complete",
    "entered_review_mode",
    "exited_review_mode",
    "hook_started",
    "hook_completed",
    "collab_agent_spawn_begin",
    "collab_agent_spawn_end",
    "collab_agent_interaction_begin",
    "collab_agent_interaction_end",
    "collab_waiting_begin",
    "collab_waiting_end",
    "collab_close_begin",
    "collab_close_end",
    "collab_resume_begin",
    "collab_resume_end",
    "sub_agent_activity",
    "model_reroute",
    "model_verification",
    "turn_moderation_metadata",
    "safety_buffering",
    "auth_recovery_started",
    "auth_recovery_completed",
    "realtime_conversation_started",
    "realtime_conversation_realtime",
    "realtime_conversation_closed",
    "realtime_conversation_sdp",
    "realtime_conversation_list_voices_response",
];

#[derive(Deserialize)]
struct Raw<'a> {
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
    #[serde(borrow)]
    role: Option<Cow<'a, str>>,
    #[serde(default)]
    content: Content,
    #[serde(rename = "internal_chat_message_metadata_passthrough", borrow)]
    passed: Option<Passed<'a>>,
}

impl Raw<'_> {
    fn record(self) -> Option<Record> {
        let payload = self.payload;
        let item = match &*self.kind {
            "session_meta" => Item::Meta,
            "response_item" => payload.response()?,
            "event_msg" => payload.event()?,
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

fn is_harness_text(text: &str) -> bool {
    let text = text.trim_start();
    HARNESS.iter().any(|start| text.starts_with(start))
}

/// The parts of a message. Of their text only the beginning of the first is looked at.
#[derive(Default)]
struct Content {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn item(line: &str) -> Line {
        read(line.as_bytes())
    }

    fn record(ordinal: u64, item: Item) -> Line {
        Line::Record(Record {
            ordinal: Some(ordinal),
            item,
        })
    }

    #[test]
    fn every_kind_of_line_is_told_apart() {
        let line = |kind: &str, payload: &str| {
            format!(
                r#"{{"timestamp":"2026-11-30T10:00:00.000Z","ordinal":7,"type":"{kind}","payload":{payload}}}"#
            )
        };
        let text = |role: &str, text: &str| {
            format!(
                r#"{{"type":"message","role":"{role}","content":[{{"type":"input_text","text":"{text}"}}]}}"#
            )
        };
        for (kind, payload, expected) in [
            ("session_meta", r#"{"id":"x"}"#, Item::Meta),
            ("response_item", &text("user", "hello"), Item::Message(Role::User)),
            (
                "response_item",
                &text("user", "<environment_context>"),
                Item::Response,
            ),
            ("response_item", &text("developer", "x"), Item::Response),
            (
                "response_item",
                &text("assistant", "x"),
                Item::Message(Role::Assistant),
            ),
            (
                "response_item",
                r#"{"type":"function_call","name":"x"}"#,
                Item::Response,
            ),
            ("event_msg", r#"{"type":"task_started"}"#, Item::TurnStarted),
            (
                "event_msg",
                r#"{"type":"task_complete","last_agent_message":"x"}"#,
                Item::TurnEnded(true),
            ),
            (
                "event_msg",
                r#"{"type":"task_complete","last_agent_message":null}"#,
                Item::TurnEnded(false),
            ),
            (
                "event_msg",
                r#"{"type":"item_completed","item":{"type":"UserMessage"}}"#,
                Item::Shown(Role::User),
            ),
            (
                "event_msg",
                r#"{"type":"agent_message","message":"x"}"#,
                Item::Shown(Role::Assistant),
            ),
            (
                "event_msg",
                r#"{"type":"thread_rolled_back","num_turns":2}"#,
                Item::RolledBack(2),
            ),
            (
                "compacted",
                r#"{"message":"","replacement_history":[]}"#,
                Item::Compacted(Some(Replacement::default())),
            ),
            ("compacted", r#"{"message":"x"}"#, Item::Compacted(None)),
            (
                "turn_context",
                r#"{"cwd":"/w"}"#,
                Item::TurnContext(Some("/w".to_owned())),
            ),
            ("event_msg", r#"{"type":"token_count","info":null}"#, Item::Other),
        ] {
            assert_eq!(
                item(&line(kind, payload)),
                record(7, expected),
                "{kind} {payload}"
            );
        }
    }

    #[test]
    fn lines_that_the_client_skips_are_rejected() {
        for (line, expected) in [
            (r#"{"timestamp":"t","type":"from_the_future","payload":{}}"#, None),
            (r#"{"timestamp":1,"type":"turn_context","payload":{}}"#, None),
            (
                r#"{"timestamp":"t","ordinal":"7","type":"turn_context","payload":{}}"#,
                None,
            ),
            (
                r#"{"timestamp":"t","ordinal":7.0,"type":"turn_context","payload":{}}"#,
                None,
            ),
            ("{not json", None),
            (
                r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"ass"#,
                Some(Role::Assistant),
            ),
            (
                r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"text":"he"#,
                Some(Role::User),
            ),
            (
                r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"text":"<environment_context>"#,
                None,
            ),
        ] {
            assert_eq!(item(line), Line::Rejected(expected), "{line}");
        }
        assert_eq!(item(" \r"), Line::Blank);
    }

    #[test]
    fn a_message_says_itself_who_wrote_it_where_it_can() {
        let line = |kind: &str| {
            format!(
                r#"{{"timestamp":"t","ordinal":7,"type":"response_item","payload":{{"type":"message","role":"user","content":[{{"text":"x"}}],"internal_chat_message_metadata_passthrough":{{"content_item_kinds":["{kind}"]}}}}}}"#
            )
        };
        assert_eq!(item(&line("user.text")), record(7, Item::Message(Role::User)));
        assert_eq!(
            item(&line("environments.environment_context")),
            record(7, Item::Response)
        );
    }
}
