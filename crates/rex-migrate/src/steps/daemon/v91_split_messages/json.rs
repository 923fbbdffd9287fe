//! Finds the parts of a JSON text in place, so that a few bytes can change and all others stay.
//!
//! Every function expects a text that `serde_json` has read already: on anything else it finds nothing useful.

use std::ops::Range;

/// Where a value is in its text.
pub(super) type Span = Range<usize>;

/// The text without the blanks around it.
pub(super) fn whole(text: &str) -> Span {
    let start = skip_blanks(text.as_bytes(), 0);
    start..value_end(text.as_bytes(), start)
}

/// The keys and values of an object, in order, duplicates included; nothing for any other value.
pub(super) fn members(text: &str, object: &Span) -> Vec<(Span, Span)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let Some(mut at) = opened(bytes, object, b'{') else {
        return found;
    };
    while bytes.get(at) == Some(&b'"') && at < object.end {
        let key = at..value_end(bytes, at);
        // Behind the key stands a colon, with or without blanks around it.
        let start = skip_blanks(bytes, skip_blanks(bytes, key.end) + 1);
        let value = start..value_end(bytes, start);
        at = next(bytes, value.end);
        found.push((key, value));
    }
    found
}

/// The elements of an array, in order; nothing for any other value.
pub(super) fn elements(text: &str, array: &Span) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let Some(mut at) = opened(bytes, array, b'[') else {
        return found;
    };
    while at < array.end && bytes.get(at) != Some(&b']') {
        let element = at..value_end(bytes, at);
        at = next(bytes, element.end);
        found.push(element);
    }
    found
}

/// The string that a span holds, decoded; `None` for any other value.
pub(super) fn string(text: &str, span: &Span) -> Option<String> {
    serde_json::from_str(text.get(span.clone())?).ok()
}

/// Where each byte of a decoded string came from: one more entry than it has bytes, the last for its end.
pub(super) fn origins(text: &str, span: &Span) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut at, end) = (span.start + 1, span.end.saturating_sub(1));
    while at < end {
        let (bytes_in, bytes_out) = unit(text, at);
        found.extend(std::iter::repeat_n(at, bytes_out));
        at += bytes_in;
    }
    found.push(end);
    found
}

/// How many bytes the character at a place takes, as written and decoded.
fn unit(text: &str, at: usize) -> (usize, usize) {
    let rest = text.get(at..).unwrap_or_default();
    if !rest.starts_with('\\') {
        let width = rest.chars().next().map_or(1, char::len_utf8);
        return (width, width);
    }
    if !rest.starts_with("\\u") {
        return (2, 1);
    }
    match rest
        .get(2..6)
        .and_then(|digits| u32::from_str_radix(digits, 16).ok())
    {
        // The first half of a surrogate pair: the second is written as six more bytes.
        Some(0xD800..=0xDBFF) => (12, 4),
        Some(code) => (6, char::from_u32(code).map_or(1, char::len_utf8)),
        None => (2, 1),
    }
}

fn opened(bytes: &[u8], span: &Span, bracket: u8) -> Option<usize> {
    (bytes.get(span.start) == Some(&bracket)).then(|| skip_blanks(bytes, span.start + 1))
}

fn next(bytes: &[u8], at: usize) -> usize {
    let at = skip_blanks(bytes, at);
    if bytes.get(at) == Some(&b',') {
        skip_blanks(bytes, at + 1)
    } else {
        at
    }
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

fn value_end(bytes: &[u8], start: usize) -> usize {
    match bytes.get(start) {
        Some(b'"') => string_end(bytes, start),
        Some(b'{' | b'[') => nested_end(bytes, start),
        _ => {
            let rest = bytes.get(start..).unwrap_or_default();
            let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r');
            start + rest.iter().position(ends).unwrap_or(rest.len())
        }
    }
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn nested_end(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return at + 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn parts_are_found_where_they_are() {
        let text = " {\"a\" : [1, \"]}\\\"\" ,{ }],\"b\":-2.5e3 , \"\":null}\n";
        let object = whole(text);
        let found: Vec<(&str, &str)> = members(text, &object)
            .iter()
            .map(|(key, value)| (&text[key.clone()], &text[value.clone()]))
            .collect();
        assert_eq!(
            found,
            [
                ("\"a\"", "[1, \"]}\\\"\" ,{ }]"),
                ("\"b\"", "-2.5e3"),
                ("\"\"", "null")
            ]
        );
        let list = members(text, &object)[0].1.clone();
        let found: Vec<&str> = elements(text, &list)
            .into_iter()
            .map(|span| &text[span])
            .collect();
        assert_eq!(found, ["1", "\"]}\\\"\"", "{ }"]);
        assert!(elements("[ ]", &(0..3)).is_empty());
        assert_eq!(members("{ }", &(0..3)), []);
        assert_eq!(members("[1]", &(0..3)), []);
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::from),
            "[\\PC\"\\\\\n\u{1F600}]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[a-c\"\\\\]{0,3}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_part_reads_back_as_what_serde_found_there(value in json(), pretty: bool) {
            let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
            let span = whole(&text);
            match &value {
                Value::Object(map) => {
                    let found = members(&text, &span);
                    prop_assert_eq!(found.len(), map.len());
                    for (key, member) in found {
                        let key = string(&text, &key).unwrap();
                        prop_assert_eq!(&serde_json::from_str::<Value>(&text[member]).unwrap(), &map[&key]);
                    }
                }
                Value::Array(list) => {
                    let found: Vec<Value> = elements(&text, &span).into_iter().map(|span| serde_json::from_str(&text[span]).unwrap()).collect();
                    prop_assert_eq!(&found, list);
                }
                Value::String(decoded) => {
                    let origins = origins(&text, &span);
                    prop_assert_eq!(origins.len(), decoded.len() + 1);
                    for (index, _) in decoded.char_indices() {
                        let rest = format!("\"{}", &text[origins[index]..]);
                        let rest: String = serde_json::from_str(rest.trim_end()).unwrap();
                        prop_assert_eq!(rest.as_str(), &decoded[index..]);
                    }
                }
                _ => prop_assert_eq!(&text[span], text.trim()),
            }
        }
    }
}
