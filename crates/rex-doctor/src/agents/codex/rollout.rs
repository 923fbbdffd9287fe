//! One line of a rollout (Codex's word for the log of a session), as the client reads it. Only what the forecast needs
//! is taken out of a line: no tree is built, and lines that no rule looks into are told by their first bytes.

mod other;
mod parse;

use parse::{Raw, is_harness_text};

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

    fn line(kind: &str, payload: &str) -> String {
        format!(
            r#"{{"timestamp":"2026-11-30T10:00:00.000Z","ordinal":7,"type":"{kind}","payload":{payload}}}"#
        )
    }

    #[test]
    fn what_the_model_sees_is_told_apart() {
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
                r#"{"type":"message","role":"user","content":[]}"#,
                Item::Response,
            ),
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
        ] {
            assert_eq!(
                item(&line(kind, payload)),
                record(7, expected),
                "{kind} {payload}"
            );
        }
    }

    #[test]
    fn events_and_compactions_are_told_apart() {
        for (kind, payload, expected) in [
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
