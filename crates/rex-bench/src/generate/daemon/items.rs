//! The provider's JSON items that nodes hold.

use std::fmt::Write as _;

use crate::generate::dice::Dice;

/// Which provider's shape a bot's items have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// `{"type":"message","role":"user","content":[{"type":"input_text",…}]}`
    Responses,
    /// `{"role":"user","content":[{"type":"text",…}]}`
    Messages,
    /// `{"role":"user","content":"…"}`
    Plain,
}

impl Family {
    /// The value of `bots.family`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Responses => "responses",
            Self::Messages => "messages",
            Self::Plain => "plain",
        }
    }
}

/// A JSON string literal.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The item that a message's words become. `pictures` may put a picture before or behind the words.
pub(crate) fn user(family: Family, words: &str, pictures: bool, dice: &mut Dice) -> String {
    let text = quoted(words);
    let part = match family {
        Family::Responses => format!(r#"{{"type":"input_text","text":{text}}}"#),
        Family::Messages => format!(r#"{{"type":"text","text":{text}}}"#),
        Family::Plain => return format!(r#"{{"role":"user","content":{text}}}"#),
    };
    let picture = match family {
        Family::Responses => r#"{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}"#,
        Family::Messages | Family::Plain => {
            r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}"#
        }
    };
    let content = match (pictures, dice.below(2)) {
        (false, _) => part,
        (true, 0) => format!("{picture},{part}"),
        (true, _) => format!("{part},{picture}"),
    };
    match family {
        Family::Responses => format!(r#"{{"type":"message","role":"user","content":[{content}]}}"#),
        Family::Messages | Family::Plain => format!(r#"{{"role":"user","content":[{content}]}}"#),
    }
}

/// The assistant's reply.
pub(crate) fn reply(family: Family, text: &str) -> String {
    let text = quoted(text);
    match family {
        Family::Responses => {
            format!(
                r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":{text}}}]}}"#
            )
        }
        Family::Messages => format!(r#"{{"role":"assistant","content":[{{"type":"text","text":{text}}}]}}"#),
        Family::Plain => format!(r#"{{"role":"assistant","content":{text}}}"#),
    }
}

/// A tool call.
pub(crate) fn call(family: Family, call_id: &str) -> String {
    match family {
        Family::Responses => {
            format!(
                r#"{{"type":"function_call","call_id":"{call_id}","name":"shell","arguments":"{{\"cmd\":\"ls\"}}"}}"#
            )
        }
        Family::Messages | Family::Plain => format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"{call_id}","name":"shell","input":{{"cmd":"ls"}}}}]}}"#
        ),
    }
}

/// A tool's result. In the `Messages` shape its role is `user`, which makes it no user's words.
pub(crate) fn result(family: Family, call_id: &str, text: &str) -> String {
    let text = quoted(text);
    match family {
        Family::Responses => {
            format!(r#"{{"type":"function_call_output","call_id":"{call_id}","output":{text}}}"#)
        }
        Family::Messages | Family::Plain => format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{call_id}","content":{text}}}]}}"#
        ),
    }
}

/// A JSON list of handles, each already a JSON string.
pub(crate) fn list(handles: &[String]) -> String {
    let mut text = String::from("[");
    for (at, handle) in handles.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        // Writing to a String cannot fail.
        let _ = write!(text, "{comma}{handle}");
    }
    text.push(']');
    text
}
