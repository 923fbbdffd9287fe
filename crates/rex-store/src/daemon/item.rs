//! A user's item of the transcript: its words, and how words become one.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    role: &'a RawValue,
    #[serde(borrow)]
    content: &'a RawValue,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, rename = "type")]
    kind: &'a RawValue,
    #[serde(borrow)]
    text: &'a RawValue,
}

/// Reads the words of a user item: its `content` if that is a text, else its first part that has a text. `None` for
/// an item of any other shape (a tool's result, the model's answer, no JSON), and for one with no such part.
pub fn words(item: &[u8]) -> Option<String> {
    let item: Item<'_> = serde_json::from_slice(item).ok()?;
    let is_message = item.kind.is_none_or(|kind| is(kind, "message"));
    if !is_message || !is(item.role, "user") {
        return None;
    }
    if let Ok(words) = serde_json::from_str(item.content.get()) {
        return Some(words);
    }
    let parts: Vec<&RawValue> = serde_json::from_str(item.content.get()).ok()?;
    parts.into_iter().find_map(part_text)
}

fn part_text(part: &RawValue) -> Option<String> {
    let part: Part<'_> = serde_json::from_str(part.get()).ok()?;
    let has_text = is(part.kind, "input_text") || is(part.kind, "text");
    serde_json::from_str(part.text.get()).ok().filter(|_| has_text)
}

/// Makes the item of a message's words, in the shape of the provider's family: `responses`, or any other.
pub fn user(family: &str, words: &str) -> Vec<u8> {
    let text = serde_json::Value::from(words);
    if family == "responses" {
        format!(r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":{text}}}]}}"#)
    } else {
        format!(r#"{{"role":"user","content":[{{"type":"text","text":{text}}}]}}"#)
    }
    .into_bytes()
}

fn is(value: &RawValue, text: &str) -> bool {
    serde_json::from_str::<Cow<'_, str>>(value.get()).is_ok_and(|value| value == text)
}

#[cfg(test)]
mod tests {
    use super::{user, words};

    const CASES: [(&str, Option<&str>); 24] = [
        (
            r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"go on"}]}"#,
            Some("go on"),
        ),
        (
            r#"{"role":"user","content":[{"type":"text","text":"go on"}]}"#,
            Some("go on"),
        ),
        (
            r#"{"type":"message","role":"user","content":"go on"}"#,
            Some("go on"),
        ),
        (r#"{"role":"user","content":"go on"}"#, Some("go on")),
        (r#"{"role":"user","content":""}"#, Some("")),
        (
            r#"{"content":"later keys","role":"user","id":"x"}"#,
            Some("later keys"),
        ),
        (
            r#"{"role":"user","content":[{"type":"text","text":""},{"type":"text","text":"b"}]}"#,
            Some(""),
        ),
        (
            r#"{"role":"user","content":[{"type":"image","source":{}},{"type":"text","text":"b"}]}"#,
            Some("b"),
        ),
        (
            r#"{"role":"user","content":[{"type":"input_image","text":"a"},{"type":"input_text","text":"b"}]}"#,
            Some("b"),
        ),
        (
            r#"{"role":"user","content":[{"type":"tool_result","content":"b"}]}"#,
            None,
        ),
        (
            r#"{"role":"user","content":[{"type":"tool_result","text":"b"}]}"#,
            None,
        ),
        (
            r#"{"role":"user","content":[{"type":"text","text":5},{"type":"text","text":"b"}]}"#,
            Some("b"),
        ),
        (
            r#"{"role":"user","content":["a",7,{"type":"text","text":"b"}]}"#,
            Some("b"),
        ),
        (r#"{"role":"user","content":[]}"#, None),
        (r#"{"role":"user","content":{"text":"a"}}"#, None),
        (r#"{"role":"user","content":null}"#, None),
        (r#"{"role":"user"}"#, None),
        (r#"{"role":"assistant","content":"a"}"#, None),
        (
            r#"{"type":"function_call_output","role":"user","content":"a"}"#,
            None,
        ),
        (
            r#"{"type":"function_call_output","call_id":"c","output":"a"}"#,
            None,
        ),
        (
            r#"{"role":"user","content":"a\u0000\r\n\ud83d\ude00"}"#,
            Some("a\0\r\n😀"),
        ),
        (r#"{"role":"user","content":"\ud83d"}"#, None),
        (r#""go on""#, None),
        ("", None),
    ];

    #[test]
    fn only_a_users_item_has_words() {
        for (item, expected) in CASES {
            assert_eq!(words(item.as_bytes()).as_deref(), expected, "{item}");
        }
        assert_eq!(
            words(b"{\"role\":\"user\",\"content\":\"\xff\"}"),
            None,
            "invalid UTF-8"
        );
    }

    #[test]
    fn an_item_made_of_words_has_those_words() {
        for family in ["responses", "messages", ""] {
            for text in [
                "",
                " ",
                "go \"on\"\\\n",
                "a\0b\r",
                "\u{202e}👩\u{200d}🚀",
                "e\u{301}",
            ] {
                assert_eq!(words(&user(family, text)).as_deref(), Some(text), "{family}");
            }
        }
    }
}
