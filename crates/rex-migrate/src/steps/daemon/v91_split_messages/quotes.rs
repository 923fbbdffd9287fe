//! Renames the key `turn` of quotes to `message`; no other byte changes.

use serde_json::Value;

use super::json::{self, Span};

/// What became of one `quotes`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Renamed {
    /// The new text; `None` where it stays.
    pub(super) text: Option<String>,
    /// It is a list of objects that each name a turn; anything else is left as it is.
    pub(super) is_readable: bool,
}

/// Renames the keys of one `quotes`.
pub(super) fn rename(quotes: &str) -> Renamed {
    let Ok(Value::Array(list)) = serde_json::from_str(quotes) else {
        return Renamed::default();
    };
    let spans = json::elements(quotes, &json::whole(quotes));
    let mut keys = Vec::new();
    for (object, span) in list.iter().zip(&spans) {
        if names_turn(object) {
            keys.extend(turn_keys(quotes, span));
        }
    }
    let text = (!keys.is_empty()).then(|| replaced(quotes, &keys));
    Renamed {
        text,
        is_readable: list.iter().all(names_turn),
    }
}

/// An object that has a `message` already would have two.
pub(super) fn names_turn(quote: &Value) -> bool {
    let number = quote.get("turn").and_then(Value::as_i64);
    number.is_some_and(|number| number > 0) && quote.get("message").is_none()
}

fn turn_keys(text: &str, object: &Span) -> Vec<Span> {
    let keys = json::members(text, object).into_iter().map(|(key, _)| key);
    keys.filter(|key| json::string(text, key).as_deref() == Some("turn"))
        .collect()
}

fn replaced(text: &str, keys: &[Span]) -> String {
    let mut renamed = String::with_capacity(text.len() + 3 * keys.len());
    let mut from = 0;
    for key in keys {
        renamed.push_str(text.get(from..key.start).unwrap_or_default());
        renamed.push_str("\"message\"");
        from = key.end;
    }
    renamed.push_str(text.get(from..).unwrap_or_default());
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_renamed_where_it_names_a_turn() {
        let cases = [
            (
                r#"[{"bot":"B","turn":7,"reply":true}]"#,
                r#"[{"bot":"B","message":7,"reply":true}]"#,
                true,
            ),
            (
                r#"[ {"turn" : 1} , {"t\u0075rn":2} ]"#,
                r#"[ {"message" : 1} , {"message":2} ]"#,
                true,
            ),
            ("[]", "[]", true),
            (
                r#"[{"turn":5},{"turn":"5"}]"#,
                r#"[{"message":5},{"turn":"5"}]"#,
                false,
            ),
            (r#"[{"turn":5},7]"#, r#"[{"message":5},7]"#, false),
            (r#"[{"turn":0}]"#, r#"[{"turn":0}]"#, false),
            (r#"[{"turn":-1}]"#, r#"[{"turn":-1}]"#, false),
            (r#"[{"turn":7.0}]"#, r#"[{"turn":7.0}]"#, false),
            (
                r#"[{"turn":9223372036854775807}]"#,
                r#"[{"message":9223372036854775807}]"#,
                true,
            ),
            (
                r#"[{"turn":9223372036854775808}]"#,
                r#"[{"turn":9223372036854775808}]"#,
                false,
            ),
            (
                r#"[{"turn":5,"message":6}]"#,
                r#"[{"turn":5,"message":6}]"#,
                false,
            ),
            (r#"[{"turn":5,"turn":6}]"#, r#"[{"message":5,"message":6}]"#, true),
            (r#"[{"turn":5,"turn":"x"}]"#, r#"[{"turn":5,"turn":"x"}]"#, false),
            (
                r#"[{"turn":5,"of":{"turn":6}}]"#,
                r#"[{"message":5,"of":{"turn":6}}]"#,
                true,
            ),
            (
                r#"[{"bot":"turn","turn":5}]"#,
                r#"[{"bot":"turn","message":5}]"#,
                true,
            ),
            (r#"{"turn":5}"#, r#"{"turn":5}"#, false),
            ("no json", "no json", false),
            ("", "", false),
        ];
        for (before, after, is_readable) in cases {
            let renamed = rename(before);
            assert_eq!(renamed.text.as_deref().unwrap_or(before), after, "{before}");
            assert_eq!(renamed.is_readable, is_readable, "{before}");
        }
    }
}
