//! The numbers in an event's payload: JSON integers, or nothing.

use rusqlite::types::ValueRef;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

/// The two numbers that a `steered` or a `turn_finished` event holds; `None` for what is no JSON integer of 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Payload {
    /// `steer` or `into`.
    pub(super) other: Option<i64>,
    /// `node`.
    pub(super) node: Option<i64>,
}

/// Reads a payload. Of a key that is there twice the last counts, as for every reader of JSON into a map.
pub(super) fn read(data: ValueRef<'_>, key: &'static str) -> Payload {
    let ValueRef::Text(bytes) = data else {
        return Payload::default();
    };
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Payload::default();
    };
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = reader.deserialize_map(Numbers { key });
    read.ok().filter(|_| reader.end().is_ok()).unwrap_or_default()
}

struct Numbers {
    key: &'static str,
}

impl<'de> Visitor<'de> for Numbers {
    type Value = Payload;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Payload, A::Error> {
        let mut payload = Payload::default();
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            if key == self.key {
                payload.other = map.next_value::<Integer>()?.0;
            } else if key == "node" {
                payload.node = map.next_value::<Integer>()?.0;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(payload)
    }
}

/// An integer of 64 bits; any other value is read and is none.
struct Integer(Option<i64>);

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Ok(Self(value.as_i64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_integers_are_numbers() {
        let cases = [
            (r#"{"steer":12,"node":3}"#, Some(12), Some(3)),
            (
                r#"{"status":"x","node":3,"steer":12,"more":[{"steer":1}]}"#,
                Some(12),
                Some(3),
            ),
            (r#"{"steer":12.0,"node":3}"#, None, Some(3)),
            (r#"{"steer":1e1,"node":3}"#, None, Some(3)),
            (r#"{"steer":"12","node":null}"#, None, None),
            (r#"{"steer":null}"#, None, None),
            (r#"{"steer":[12],"node":{"node":3}}"#, None, None),
            (
                r#"{"steer":9223372036854775807,"node":9223372036854775808}"#,
                Some(i64::MAX),
                None,
            ),
            (r#"{"steer":-4}"#, Some(-4), None),
            (r#"{"steer":1,"steer":2}"#, Some(2), None),
            (r#"{"steer":1,"steer":"2"}"#, None, None),
            (r#"{"st\u0065er":5}"#, Some(5), None),
            (r#"{"steer":12,"node":3"#, None, None),
            (r#"{"steer":12} x"#, None, None),
            ("{'steer':12}", None, None),
            (r#"{"steer":0x10}"#, None, None),
            ("[12]", None, None),
            ("12", None, None),
            ("", None, None),
        ];
        for (data, other, node) in cases {
            assert_eq!(
                read(ValueRef::Text(data.as_bytes()), "steer"),
                Payload { other, node },
                "{data}"
            );
        }
        assert_eq!(
            read(ValueRef::Blob(br#"{"steer":1}"#), "steer"),
            Payload::default()
        );
        assert_eq!(
            read(ValueRef::Text(b"{\"steer\":1,\"x\":\"\xff\"}"), "steer"),
            Payload::default()
        );
        assert_eq!(read(ValueRef::Null, "steer"), Payload::default());
    }
}
