//! Passes JSON through and leaves out the middle of very long texts, so that a parser behind it needs little memory.

use std::io::{self, Read};

use memchr::memchr2;

/// How much of a text is passed on, in bytes; what follows is left out from the next plain character on.
const TEXT_BYTES: usize = 64 << 10;

/// Deeper nesting than this is refused: a parser keeps a byte for each level.
const LEVELS: u32 = 1 << 20;

/// Where in the JSON the next byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Between texts.
    Outside,
    /// In a text that is passed on; so many bytes of it were, and so many of an escape are still to come.
    Text { passed: usize, escape: u8 },
    /// In a text whose rest is left out; true behind a backslash.
    Dropped { escaped: bool },
}

/// The reader.
#[derive(Debug)]
pub(super) struct Clip<R> {
    input: R,
    state: State,
    level: u32,
}

impl<R: Read> Clip<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            state: State::Outside,
            level: 0,
        }
    }

    /// Moves what is passed on to the front of `bytes` and returns how much that is.
    fn sift(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut kept = 0;
        let mut at = 0;
        while let Some(byte) = bytes.get(at).copied() {
            let is_kept = match self.state {
                State::Outside => self.outside(byte)?,
                State::Text { passed, escape } => self.text(byte, passed, escape),
                State::Dropped { escaped: false } => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    let Some(found) = memchr2(b'"', b'\\', rest) else {
                        break;
                    };
                    at += found;
                    let is_end = rest.get(found) == Some(&b'"');
                    self.state = if is_end {
                        State::Outside
                    } else {
                        State::Dropped { escaped: true }
                    };
                    is_end
                }
                State::Dropped { escaped: true } => {
                    self.state = State::Dropped { escaped: false };
                    false
                }
            };
            if is_kept {
                // A text that ended in this chunk is closed by its own quote, wherever that stands.
                let byte = bytes.get(at).copied().unwrap_or(byte);
                if let Some(slot) = bytes.get_mut(kept) {
                    *slot = byte;
                }
                kept += 1;
            }
            at += 1;
        }
        Ok(kept)
    }

    fn outside(&mut self, byte: u8) -> io::Result<bool> {
        match byte {
            b'"' => self.state = State::Text { passed: 0, escape: 0 },
            b'[' | b'{' => self.level += 1,
            b']' | b'}' => self.level = self.level.saturating_sub(1),
            _ => {}
        }
        if self.level > LEVELS {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        Ok(true)
    }

    fn text(&mut self, byte: u8, passed: usize, escape: u8) -> bool {
        let escape = match (escape, byte) {
            // Four digits follow behind the `u` of an escape.
            (1, b'u') => 4,
            (0, b'\\') => 1,
            (0, b'"') => {
                self.state = State::Outside;
                return true;
            }
            (0, plain) if passed >= TEXT_BYTES && plain.is_ascii() => {
                self.state = State::Dropped { escaped: false };
                return false;
            }
            (left, _) => left.saturating_sub(1),
        };
        self.state = State::Text {
            passed: passed + 1,
            escape,
        };
        true
    }
}

impl<R: Read> Read for Clip<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.input.read(bytes)?;
            let kept = self.sift(bytes.get_mut(..count).unwrap_or_default())?;
            // Nothing kept of something read is not the end.
            if kept > 0 || count == 0 {
                return Ok(kept);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clipped(text: &str, chunk: usize) -> String {
        let mut clip = Clip::new(text.as_bytes());
        let mut out = vec![];
        let mut room = vec![0; chunk];
        loop {
            match clip.read(&mut room).unwrap() {
                0 => return String::from_utf8(out).unwrap(),
                count => out.extend_from_slice(&room[..count]),
            }
        }
    }

    #[test]
    fn what_is_short_passes_and_what_is_long_still_parses() {
        let short = r#"{"a\"\\":[1,"x\u00e9\ud83d\ude00",{}],"b":"\\"}"#;
        let long = |unit: &str| {
            format!(
                r#"{{"a":"{}","b":["\"",1]}}"#,
                unit.repeat(3 * TEXT_BYTES / unit.len())
            )
        };
        for chunk in [1, 7, 4096] {
            assert_eq!(clipped(short, chunk), short);
            for unit in ["x", "\\\\", "\\\"", "\\ud83d\\ude00", "é", "ab\\u0041\\n日"] {
                let out = clipped(&long(unit), chunk);
                let value: serde_json::Value = serde_json::from_str(&out).unwrap();
                assert_eq!(value["b"], serde_json::json!(["\"", 1]), "{unit}");
                assert!(!unit.contains('x') || out.len() < TEXT_BYTES + 40, "{unit}");
            }
        }
    }
}
