//! Fields that may hold anything: what is not of the wanted type reads as none, as a JavaScript client would see it.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// What a lenient field may become.
trait Lenient: Sized {
    fn text(_: &str) -> Option<Self> {
        None
    }
    fn flag(_: bool) -> Option<Self> {
        None
    }
    fn number(_: u64) -> Option<Self> {
        None
    }
}

impl Lenient for String {
    fn text(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

impl Lenient for bool {
    fn flag(flag: bool) -> Option<Self> {
        Some(flag)
    }
}

impl Lenient for u64 {
    fn number(number: u64) -> Option<Self> {
        Some(number)
    }
}

struct Anything<T>(PhantomData<T>);

impl<'de, T: Lenient> Visitor<'de> for Anything<T> {
    type Value = Option<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("anything")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(T::text(text))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(T::flag(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(T::number(number))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        let is_whole = number >= 0.0 && number.fract() == 0.0 && number < 9e15;
        Ok(if is_whole { T::number(number as u64) } else { None })
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

/// For `deserialize_with`: a string, or none where the field holds anything else.
///
/// # Errors
/// Only where the JSON itself is broken.
pub fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    from.deserialize_any(Anything(PhantomData))
}

/// For `deserialize_with`: a boolean, or none where the field holds anything else.
///
/// # Errors
/// Only where the JSON itself is broken.
pub fn flag<'de, D: Deserializer<'de>>(from: D) -> Result<Option<bool>, D::Error> {
    from.deserialize_any(Anything(PhantomData))
}

/// For `deserialize_with`: a whole number from 0 on, or none where the field holds anything else.
///
/// # Errors
/// Only where the JSON itself is broken.
pub fn number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    from.deserialize_any(Anything(PhantomData))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Row {
        #[serde(deserialize_with = "super::text")]
        text: Option<String>,
        #[serde(deserialize_with = "super::flag")]
        flag: Option<bool>,
        #[serde(deserialize_with = "super::number")]
        number: Option<u64>,
    }

    #[test]
    fn a_field_of_another_type_reads_as_none() {
        let row = |json: &str| serde_json::from_str::<Row>(json).unwrap();
        let full = Row {
            text: Some("a\n".to_owned()),
            flag: Some(true),
            number: Some(3),
        };
        assert_eq!(row(r#"{"text":"a\n","flag":true,"number":3.0}"#), full);
        for other in ["null", "[1,[2]]", "{\"a\":{\"b\":1}}", "-1", "1.5"] {
            let json = format!(r#"{{"text":{other},"flag":{other},"number":{other}}}"#);
            assert_eq!(row(&json), Row::default(), "{other}");
        }
    }
}
