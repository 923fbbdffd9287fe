//! Lines of JSON with their byte offsets. A torn tail, NUL bytes, bad UTF-8, lines too long to hold and nesting too
//! deep to parse are values: nothing here panics, and no file is ever held whole.
//!
//! ```
//! use rex_store::jsonl::{self, Fault, Lines};
//!
//! #[derive(serde::Deserialize)]
//! struct Row {
//!     // Whatever else the field may be in a damaged log, the row still reads.
//!     #[serde(default, deserialize_with = "jsonl::text")]
//!     uuid: Option<String>,
//! }
//!
//! let mut lines = Lines::new("{\"uuid\":\"a\"}\n{\"uuid\":7}\n{\"uu".as_bytes());
//! let mut uuids = vec![];
//! while let Some(line) = lines.read()? {
//!     match line.parse::<Row>() {
//!         Ok(row) => uuids.push((line.offset, row.uuid)),
//!         Err(fault) => assert_eq!((line.offset, fault), (24, Fault::Torn)),
//!     }
//! }
//! assert_eq!(uuids, [(0, Some("a".to_owned())), (13, None)]);
//! # Ok::<(), std::io::Error>(())
//! ```

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use memchr::memchr;
use serde::de::{Deserialize, DeserializeOwned};

mod clip;
mod ends;
mod lenient;

use clip::Clip;
pub use ends::Ends;
pub use lenient::{flag, number, text};

/// The longest line that is held whole, in bytes. Of a longer one the two ends are kept.
pub const LONGEST_BYTES: usize = 4 << 20;

/// How much of each end of a longer line is kept, in bytes.
pub const KEPT_BYTES: usize = 64 << 10;

/// How much is asked of the file at once, in bytes.
const CHUNK_BYTES: usize = 256 << 10;

/// What ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A line feed.
    Newline,
    /// The file ends without one.
    EndOfFile,
    /// It goes on beyond what was read.
    Beyond,
}

/// One line, without its line feed.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Where it begins, in bytes from the start of the file.
    pub offset: u64,
    /// Its whole length in bytes.
    pub bytes: u64,
    /// The line, or the beginning of one that is too long.
    pub text: &'a [u8],
    /// The end of a line that is too long; else empty.
    pub tail: &'a [u8],
    /// What ends it.
    pub ending: Ending,
}

/// Why a line is not a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing, or only blanks.
    Blank,
    /// It holds NUL bytes; the first one is so many bytes into the line.
    Nul(usize),
    /// It is not UTF-8 from so many bytes into the line on.
    BadUtf8(usize),
    /// The JSON ends in the middle.
    Torn,
    /// A whole value is followed by more, from so many bytes into the line on.
    Trailing(usize),
    /// It is not JSON from so many bytes into the line on.
    Syntax(usize),
    /// It is nested too deeply to be read.
    TooDeep,
    /// It is longer than [`LONGEST_BYTES`]; [`Lines::parse_long`] reads it.
    TooLong,
    /// It is JSON of another shape than the one asked for.
    Shape,
    /// It could not be read again.
    Unreadable,
}

impl<'a> Line<'a> {
    /// True where the whole line is in [`Line::text`].
    pub fn is_whole(&self) -> bool {
        self.bytes == self.text.len() as u64 && self.ending != Ending::Beyond
    }

    /// True where it holds nothing but blanks.
    pub fn is_blank(&self) -> bool {
        self.is_whole() && self.text.trim_ascii().is_empty()
    }

    /// Where the first NUL byte is, in bytes into the line.
    pub fn first_nul(&self) -> Option<usize> {
        memchr(0, self.text)
    }

    /// From where on it is not UTF-8, in bytes into the line.
    pub fn bad_utf8(&self) -> Option<usize> {
        std::str::from_utf8(self.text)
            .err()
            .map(|error| error.valid_up_to())
    }

    /// Parses the line. Fields that `T` does not name are skipped without being built, however deep they are.
    ///
    /// # Errors
    /// The fault that keeps the line from being a row.
    pub fn parse<T: Deserialize<'a>>(&self) -> Result<T, Fault> {
        if !self.is_whole() {
            return Err(if self.ending == Ending::Beyond {
                Fault::Torn
            } else {
                Fault::TooLong
            });
        }
        serde_json::from_slice(self.text).map_err(|error| self.fault(&error))
    }

    fn fault(&self, error: &serde_json::Error) -> Fault {
        if self.is_blank() {
            return Fault::Blank;
        }
        if error.is_data() {
            return Fault::Shape;
        }
        if let Some(at) = self.first_nul() {
            return Fault::Nul(at);
        }
        if let Some(at) = self.bad_utf8() {
            return Fault::BadUtf8(at);
        }
        fault_of(error)
    }
}

fn fault_of(error: &serde_json::Error) -> Fault {
    // serde_json tells these apart in its text only.
    let words = error.to_string();
    let at = error.column().saturating_sub(1);
    match error.classify() {
        serde_json::error::Category::Eof => Fault::Torn,
        serde_json::error::Category::Data => Fault::Shape,
        serde_json::error::Category::Io if error.io_error_kind() == Some(io::ErrorKind::InvalidData) => {
            Fault::TooDeep
        }
        serde_json::error::Category::Io => Fault::Unreadable,
        serde_json::error::Category::Syntax if words.starts_with("recursion limit") => Fault::TooDeep,
        serde_json::error::Category::Syntax if words.starts_with("trailing characters") => {
            Fault::Trailing(at)
        }
        serde_json::error::Category::Syntax => Fault::Syntax(at),
    }
}

/// Reads a file line by line in bounded memory.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// Where the next line begins in the buffer.
    start: usize,
    /// Up to where the buffer is filled.
    filled: usize,
    /// Where the next line begins in the file.
    offset: u64,
    tail: Vec<u8>,
}

impl<R: Read> Lines<R> {
    /// Reads from where `input` stands; offsets count from there.
    pub fn new(input: R) -> Self {
        Self {
            input,
            buffer: vec![],
            start: 0,
            filled: 0,
            offset: 0,
            tail: vec![],
        }
    }

    /// Returns the next line, or none at the end. The lines of a file that grows end where it ended when it was asked.
    ///
    /// # Errors
    /// What the system says.
    pub fn read(&mut self) -> io::Result<Option<Line<'_>>> {
        let mut searched = self.start;
        loop {
            let unsearched = self.buffer.get(searched..self.filled).unwrap_or_default();
            if let Some(found) = memchr(b'\n', unsearched) {
                return Ok(Some(self.line_to(searched + found, Ending::Newline)));
            }
            searched = self.filled;
            if self.filled - self.start >= LONGEST_BYTES {
                return self.long_line().map(Some);
            }
            let before = self.start;
            if !self.fill()? {
                if self.start == self.filled {
                    return Ok(None);
                }
                return Ok(Some(self.line_to(self.filled, Ending::EndOfFile)));
            }
            searched -= before - self.start;
        }
    }

    fn line_to(&mut self, end: usize, ending: Ending) -> Line<'_> {
        let (start, offset) = (self.start, self.offset);
        self.start = (end + usize::from(ending == Ending::Newline)).min(self.filled);
        self.offset += (self.start - start) as u64;
        let text = self.buffer.get(start..end).unwrap_or_default();
        Line {
            offset,
            bytes: text.len() as u64,
            text,
            tail: &[],
            ending,
        }
    }

    /// Reads more behind what is there; false at the end of the file.
    fn fill(&mut self) -> io::Result<bool> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.start = 0;
        }
        if self.buffer.len() - self.filled < CHUNK_BYTES / 2 {
            let wanted = (self.buffer.len() * 2).clamp(CHUNK_BYTES, LONGEST_BYTES + CHUNK_BYTES);
            self.buffer.resize(wanted.max(self.filled + CHUNK_BYTES), 0);
        }
        let count = read_some(
            &mut self.input,
            self.buffer.get_mut(self.filled..).unwrap_or_default(),
        )?;
        self.filled += count;
        Ok(count > 0)
    }

    /// Passes over a line that is too long to hold and keeps its two ends.
    fn long_line(&mut self) -> io::Result<Line<'_>> {
        let offset = self.offset;
        let mut bytes = (self.filled - self.start) as u64;
        self.buffer.copy_within(self.start..self.start + KEPT_BYTES, 0);
        let last = self
            .buffer
            .get(self.filled - KEPT_BYTES..self.filled)
            .unwrap_or_default();
        self.tail.clear();
        self.tail.extend_from_slice(last);
        let ending = loop {
            // The beginning stays in front; the rest of the buffer is used again and again.
            let room = self
                .buffer
                .get_mut(KEPT_BYTES..KEPT_BYTES + CHUNK_BYTES)
                .unwrap_or_default();
            let count = read_some(&mut self.input, room)?;
            let chunk = room.get(..count).unwrap_or_default();
            let end = memchr(b'\n', chunk);
            bytes += end.unwrap_or(count) as u64;
            self.tail
                .extend_from_slice(chunk.get(..end.unwrap_or(count)).unwrap_or_default());
            let surplus = self.tail.len().saturating_sub(KEPT_BYTES);
            self.tail.drain(..surplus);
            if let Some(end) = end {
                self.start = KEPT_BYTES + end + 1;
                self.filled = KEPT_BYTES + count;
                break Ending::Newline;
            }
            if count == 0 {
                self.start = 0;
                self.filled = 0;
                break Ending::EndOfFile;
            }
        };
        self.offset = offset + bytes + u64::from(ending == Ending::Newline);
        let text = self.buffer.get(..KEPT_BYTES).unwrap_or_default();
        Ok(Line {
            offset,
            bytes,
            text,
            tail: &self.tail,
            ending,
        })
    }
}

impl<R: Read + Seek> Lines<R> {
    /// Parses the line of that offset and length by reading it again, without holding it: only the fields that `T`
    /// names are built, and of a text longer than 64 KiB only its beginning. Slower than [`Line::parse`]; for lines with the fault [`Fault::TooLong`]. Offsets must count
    /// from the start of the file.
    ///
    /// # Errors
    /// The fault that keeps the line from being a row.
    pub fn parse_long<T: DeserializeOwned>(&mut self, offset: u64, bytes: u64) -> Result<T, Fault> {
        let unreadable = |_| Fault::Unreadable;
        let back = self.input.stream_position().map_err(unreadable)?;
        self.input.seek(SeekFrom::Start(offset)).map_err(unreadable)?;
        let line = BufReader::with_capacity(CHUNK_BYTES, Clip::new(self.input.by_ref().take(bytes)));
        let parsed = serde_json::from_reader(line).map_err(|error| fault_of(&error));
        self.input.seek(SeekFrom::Start(back)).map_err(unreadable)?;
        parsed
    }
}

fn read_some(input: &mut impl Read, room: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(room) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// Splits bytes that are at hand into lines; `offset` is where they begin in their file.
pub fn split(bytes: &[u8], offset: u64) -> impl Iterator<Item = Line<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let (length, ending) = match memchr(b'\n', rest) {
            Some(end) => (end, Ending::Newline),
            None => (rest.len(), Ending::EndOfFile),
        };
        let text = rest.get(..length).unwrap_or_default();
        let line = Line {
            offset: offset + at as u64,
            bytes: length as u64,
            text,
            tail: &[],
            ending,
        };
        at += length + 1;
        Some(line)
    })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Row {
        id: u32,
    }

    /// Gives one to three bytes at a time, so that every line crosses a read.
    struct Trickle<'a>(&'a [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            self.1 = self.1 % 3 + 1;
            let count = self.1.min(self.0.len()).min(room.len());
            room[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn all(input: impl Read) -> Vec<(u64, u64, Vec<u8>, Ending)> {
        let mut lines = Lines::new(input);
        let mut found = vec![];
        while let Some(line) = lines.read().unwrap() {
            found.push((line.offset, line.bytes, line.text.to_vec(), line.ending));
        }
        found
    }

    #[test]
    fn streaming_and_splitting_give_the_same_lines() {
        for text in ["", "\n", "a", "a\n", "a\n\nbc\r\nd", "\0\0\0\n\n\n"] {
            let split: Vec<_> = split(text.as_bytes(), 0)
                .map(|l| (l.offset, l.bytes, l.text.to_vec(), l.ending))
                .collect();
            assert_eq!(all(text.as_bytes()), split, "{text:?}");
            assert_eq!(all(Trickle(text.as_bytes(), 0)), split, "{text:?}");
        }
    }

    #[test]
    fn every_fault_is_a_value() {
        let deep = format!("{{\"id\":{}1{}}}", "[".repeat(200_000), "]".repeat(200_000));
        let skipped = format!(
            "{{\"x\":{}1{},\"id\":1}}",
            "[".repeat(200_000),
            "]".repeat(200_000)
        );
        let rows: &[(&[u8], Result<Row, Fault>)] = &[
            (br#"{"id":1,"other":{"a":[1]}}"#, Ok(Row { id: 1 })),
            (b" \r", Err(Fault::Blank)),
            (b"\0\0\0", Err(Fault::Nul(0))),
            (b"{\"id\":1\0", Err(Fault::Nul(7))),
            (b"{\"id\":1,\"t\xff\":1}", Err(Fault::BadUtf8(10))),
            (br#"{"id":1"#, Err(Fault::Torn)),
            (br#"{"id":1}{"id":2}"#, Err(Fault::Trailing(8))),
            (b"{id:1}", Err(Fault::Syntax(1))),
            (br#"{"id":"one"}"#, Err(Fault::Shape)),
            (b"null", Err(Fault::Shape)),
            (deep.as_bytes(), Err(Fault::Shape)),
            (skipped.as_bytes(), Ok(Row { id: 1 })),
        ];
        for (text, expected) in rows {
            let line = split(text, 0).next().unwrap();
            assert_eq!(
                line.parse::<Row>(),
                *expected,
                "{}",
                String::from_utf8_lossy(&text[..text.len().min(60)])
            );
        }
        let value = split(deep.as_bytes(), 0)
            .next()
            .unwrap()
            .parse::<serde_json::Value>();
        assert_eq!(value, Err(Fault::TooDeep));
    }

    #[test]
    fn a_line_too_long_to_hold_keeps_its_ends_and_is_parsed_by_reading_again() {
        let long = format!("{{\"text\":\"{}\",\"id\":7}}", "x".repeat(3 * LONGEST_BYTES));
        let file = format!("{{\"id\":1}}\n{long}\n{{\"id\":2}}\n{long}");
        let mut lines = Lines::new(Cursor::new(file.as_bytes()));
        assert_eq!(lines.read().unwrap().unwrap().parse::<Row>(), Ok(Row { id: 1 }));
        let line = lines.read().unwrap().unwrap();
        let (offset, bytes) = (line.offset, line.bytes);
        assert_eq!((offset, bytes), (9, long.len() as u64));
        assert_eq!((line.text.len(), line.tail.len()), (KEPT_BYTES, KEPT_BYTES));
        assert!(line.text.starts_with(b"{\"text\":\"x") && line.tail.ends_with(b"x\",\"id\":7}"));
        assert_eq!(line.parse::<Row>(), Err(Fault::TooLong));
        assert_eq!(lines.parse_long(offset, bytes), Ok(Row { id: 7 }));
        assert_eq!(lines.read().unwrap().unwrap().parse::<Row>(), Ok(Row { id: 2 }));
        let last = lines.read().unwrap().unwrap();
        assert_eq!((last.bytes, last.ending), (long.len() as u64, Ending::EndOfFile));
        assert!(lines.read().unwrap().is_none());
    }
}
