//! One JSON object on standard output, keys in the order of its type, credentials left out of its texts.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{Formatter, PrettyFormatter};

use crate::redact::redact;

/// Prints the object, indented.
///
/// # Errors
/// What the output says.
pub fn print(answer: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    answer.serialize(&mut Serializer::with_formatter(
        &mut *out,
        Redacting(PrettyFormatter::new()),
    ))?;
    out.write_all(b"\n")
}

/// Indents, and redacts each run of text between two escapes: no credential holds a character that is escaped.
struct Redacting(PrettyFormatter<'static>);

impl Formatter for Redacting {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, text: &str) -> io::Result<()> {
        out.write_all(redact(text).as_bytes())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_credentials_go() {
        #[derive(Serialize)]
        struct Answer {
            z: &'static str,
            a: Vec<u8>,
        }
        let mut out = vec![];
        print(
            &Answer {
                z: "x\nsk-0123456789abcdef \"y\"",
                a: vec![1],
            },
            &mut out,
        )
        .unwrap();
        let expected = "{\n  \"z\": \"x\\nsk-[redacted] \\\"y\\\"\",\n  \"a\": [\n    1\n  ]\n}\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
