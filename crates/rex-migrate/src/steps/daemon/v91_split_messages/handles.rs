//! Respells the handles of a parked run: `turn:BOT/N` becomes `BOT/N`, and no other byte changes.

use rex_store::handle::{Handle90, Handle91};
use serde_json::Value;

use super::json::{self, Span};

/// What became of one `waiting`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Respelled {
    /// The new text; `None` where it stays.
    pub(super) text: Option<String>,
    /// It holds a text that is no handle at 90 and would be read as one at 91.
    pub(super) has_dead_handle: bool,
}

/// Respells one `waiting`; `None` if it is no JSON object.
pub(super) fn respell(waiting: &str) -> Option<Respelled> {
    let Ok(Value::Object(_)) = serde_json::from_str(waiting) else {
        return None;
    };
    let mut search = Search {
        text: waiting,
        cuts: Vec::new(),
        has_dead_handle: false,
    };
    for (key, value) in json::members(waiting, &json::whole(waiting)) {
        match json::string(waiting, &key).as_deref() {
            Some("handles") => search.handles(&value),
            Some("pending") => search.pending(&value),
            _ => {}
        }
    }
    let text = (!search.cuts.is_empty()).then(|| without(waiting, &search.cuts));
    Some(Respelled {
        text,
        has_dead_handle: search.has_dead_handle,
    })
}

struct Search<'a> {
    text: &'a str,
    /// What is to go, in order.
    cuts: Vec<Span>,
    has_dead_handle: bool,
}

impl Search<'_> {
    fn handles(&mut self, array: &Span) {
        for element in json::elements(self.text, array) {
            let Some(handle) = json::string(self.text, &element) else {
                continue;
            };
            match Handle90::parse(&handle) {
                Some(Handle90::Turn { .. }) => self.cuts.extend(prefix(self.text, &element)),
                Some(Handle90::Process(_)) => {}
                None => self.has_dead_handle |= Handle91::parse(&handle).is_some(),
            }
        }
    }

    fn pending(&mut self, array: &Span) {
        for call in json::elements(self.text, array) {
            let members = json::members(self.text, &call);
            // A name given twice counts as the reader of JSON counts it: the last one.
            let named = |wanted: &str| {
                let is_wanted = |key: &Span| json::string(self.text, key).as_deref() == Some(wanted);
                members
                    .iter()
                    .rfind(|(key, _)| is_wanted(key))
                    .map(|(_, value)| value.clone())
            };
            let name = named("name").and_then(|name| json::string(self.text, &name));
            if let (Some("wait"), Some(arguments)) = (name.as_deref(), named("arguments")) {
                self.arguments(&arguments);
            }
        }
    }

    fn arguments(&mut self, arguments: &Span) {
        let Some(inner) = json::string(self.text, arguments) else {
            return self.object(arguments);
        };
        let Ok(Value::Object(_)) = serde_json::from_str(&inner) else {
            return;
        };
        let mut search = Search {
            text: &inner,
            cuts: Vec::new(),
            has_dead_handle: false,
        };
        search.object(&json::whole(&inner));
        self.has_dead_handle |= search.has_dead_handle;
        let origins = json::origins(self.text, arguments);
        let outside = |place: usize| origins.get(place).copied();
        let cuts = search
            .cuts
            .iter()
            .filter_map(|cut| Some(outside(cut.start)?..outside(cut.end)?));
        self.cuts.extend(cuts);
    }

    fn object(&mut self, arguments: &Span) {
        for (key, value) in json::members(self.text, arguments) {
            if json::string(self.text, &key).as_deref() == Some("handles") {
                self.handles(&value);
            }
        }
    }
}

/// Where `turn:` is written at the start of a string, however it is escaped.
fn prefix(text: &str, string: &Span) -> Option<Span> {
    let end = json::origins(text, string).get("turn:".len()).copied()?;
    Some(string.start + 1..end)
}

fn without(text: &str, cuts: &[Span]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for cut in cuts {
        kept.push_str(text.get(from..cut.start).unwrap_or_default());
        from = cut.end;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(waiting: &str) -> String {
        respell(waiting)
            .unwrap()
            .text
            .unwrap_or_else(|| waiting.to_owned())
    }

    #[test]
    fn handles_lose_their_prefix_and_nothing_else_changes() {
        let cases = [
            (r#"{"handles":["turn:Bob/7"]}"#, r#"{"handles":["Bob/7"]}"#),
            (
                r#"{ "handles" : [ "turn:Bob/7" , "proc:3" ] , "any":true }"#,
                r#"{ "handles" : [ "Bob/7" , "proc:3" ] , "any":true }"#,
            ),
            (
                r#"{"handles":["turn:Bob\u002f7"]}"#,
                r#"{"handles":["Bob\u002f7"]}"#,
            ),
            (
                r#"{"handles":["\u0074urn\u003aBob/7"]}"#,
                r#"{"handles":["Bob/7"]}"#,
            ),
            (
                r#"{"h\u0061ndles":["turn:Bob/7"]}"#,
                r#"{"h\u0061ndles":["Bob/7"]}"#,
            ),
            (
                r#"{"handles":["turn:turn:x/1","turn:a/b/2","turn:proc:1/3"]}"#,
                r#"{"handles":["turn:x/1","a/b/2","proc:1/3"]}"#,
            ),
            (
                r#"{"handles":["turn:it's \"me\"/4","turn:a b/5"]}"#,
                r#"{"handles":["it's \"me\"/4","a b/5"]}"#,
            ),
            (
                r#"{"handles":["turn:B/1","turn:B/1"],"handles":["turn:C/2"]}"#,
                r#"{"handles":["B/1","B/1"],"handles":["C/2"]}"#,
            ),
            (
                r#"{"handles":[],"x":"turn:Bob/7","y":{"handles":["turn:Bob/7"]}}"#,
                r#"{"handles":[],"x":"turn:Bob/7","y":{"handles":["turn:Bob/7"]}}"#,
            ),
            (
                r#"{"handles":["turn:Bob/007","turn:Bob/+7","turn:Bob/9223372036854775808"]}"#,
                r#"{"handles":["turn:Bob/007","turn:Bob/+7","turn:Bob/9223372036854775808"]}"#,
            ),
            (r#"{"handles":"turn:Bob/7"}"#, r#"{"handles":"turn:Bob/7"}"#),
            (
                r#"{"handles":[7,null,["turn:Bob/7"]]}"#,
                r#"{"handles":[7,null,["turn:Bob/7"]]}"#,
            ),
        ];
        for (before, after) in cases {
            assert_eq!(changed(before), after, "{before}");
        }
    }

    #[test]
    fn only_waits_that_are_pending_are_respelled() {
        let cases = [
            (
                r#"{"pending":[{"call_id":"c","name":"wait","arguments":{"handles":["turn:Bob/7"],"note":"turn:Bob/7"}}]}"#,
                r#"{"pending":[{"call_id":"c","name":"wait","arguments":{"handles":["Bob/7"],"note":"turn:Bob/7"}}]}"#,
            ),
            (
                r#"{"pending":[{"name":"shell","arguments":{"handles":["turn:Bob/7"]}}]}"#,
                r#"{"pending":[{"name":"shell","arguments":{"handles":["turn:Bob/7"]}}]}"#,
            ),
            (
                r#"{"pending":[{"arguments":"{ \"handles\": [\"turn:Bob/7\"], \"é\":\"\ud83d\ude00\" }","name":"wait"}]}"#,
                r#"{"pending":[{"arguments":"{ \"handles\": [\"Bob/7\"], \"é\":\"\ud83d\ude00\" }","name":"wait"}]}"#,
            ),
            (
                r#"{"pending":[{"name":"wait","arguments":"{\"handles\":[\"\\u0074urn:Bob\\u002f7\",\"turn:\ud83d\ude00/2\"]}"}]}"#,
                r#"{"pending":[{"name":"wait","arguments":"{\"handles\":[\"Bob\\u002f7\",\"\ud83d\ude00/2\"]}"}]}"#,
            ),
            (
                r#"{"pending":[{"name":"wait","arguments":"not json"}]}"#,
                r#"{"pending":[{"name":"wait","arguments":"not json"}]}"#,
            ),
            (
                r#"{"pending":[{"name":"wait"},7,null]}"#,
                r#"{"pending":[{"name":"wait"},7,null]}"#,
            ),
            (
                r#"{"pending":{"name":"wait","arguments":{"handles":["turn:Bob/7"]}}}"#,
                r#"{"pending":{"name":"wait","arguments":{"handles":["turn:Bob/7"]}}}"#,
            ),
        ];
        for (before, after) in cases {
            assert_eq!(changed(before), after, "{before}");
        }
    }

    #[test]
    fn a_text_that_only_91_reads_as_a_handle_is_dead() {
        let cases = [
            (r#"{"handles":["turn:/7"]}"#, true),
            (r#"{"handles":["Bob/7"]}"#, true),
            (r#"{"handles":["TURN:Bob/7"]}"#, true),
            (r#"{"handles":["proc:1/7"]}"#, true),
            (r#"{"handles":["turn:Bob/007","proc:01","x"]}"#, false),
            (r#"{"handles":["turn:Bob/7","proc:1"]}"#, false),
            (r#"{"note":["Bob/7"]}"#, false),
            (
                r#"{"pending":[{"name":"wait","arguments":"{\"handles\":[\"Bob/7\"]}"}]}"#,
                true,
            ),
        ];
        for (waiting, dead) in cases {
            assert_eq!(respell(waiting).unwrap().has_dead_handle, dead, "{waiting}");
        }
    }

    #[test]
    fn what_is_no_json_object_is_unreadable() {
        for waiting in ["", "{", "[]", "7", "{\"handles\":[\"turn:Bob/7\"]} x"] {
            assert_eq!(respell(waiting), None, "{waiting}");
        }
    }
}
