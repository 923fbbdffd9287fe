//! A value that spreads over several lines, as an editor or a formatter leaves it. Newer clients read it: their parser
//! takes a newline for any other blank.

use rex_store::jsonl::{Ending, Line};

/// The most bytes that are held until such a value is whole.
const MOST_BYTES: usize = 4 << 20;

/// Lines that may turn out to be one value.
#[derive(Default)]
pub(super) struct Spread {
    text: Vec<u8>,
    lines: Vec<(u64, usize, Ending)>,
    depth: usize,
    is_in_text: bool,
    is_escaped: bool,
}

/// What became of a line that was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grown {
    /// More lines are needed.
    Open,
    /// The lines may be a whole value.
    Whole,
    /// They are none.
    Broken,
}

impl Spread {
    /// The beginning of such a value; none where the line cannot be one.
    pub(super) fn begin(line: &Line<'_>) -> Option<Self> {
        let mut spread = Self::default();
        let is_start = line.text.first() == Some(&b'{') && line.tail.is_empty();
        (is_start && spread.add(line) == Grown::Open).then_some(spread)
    }

    /// Adds the next line.
    pub(super) fn add(&mut self, line: &Line<'_>) -> Grown {
        let text = line.text.trim_ascii();
        let is_row = !self.lines.is_empty() && text.starts_with(b"{\"") && text.ends_with(b"}");
        let is_too_much = self.text.len() + line.text.len() > MOST_BYTES;
        self.lines.push((line.offset, line.text.len(), line.ending));
        self.text.extend_from_slice(line.text);
        self.text.push(b'\n');
        line.text.iter().for_each(|byte| self.follow(*byte));
        if is_row || is_too_much || self.is_in_text || line.ending == Ending::EndOfFile {
            Grown::Broken
        } else if self.depth == 0 {
            Grown::Whole
        } else {
            Grown::Open
        }
    }

    fn follow(&mut self, byte: u8) {
        match (self.is_in_text, byte) {
            (true, _) if self.is_escaped => self.is_escaped = false,
            (true, b'\\') => self.is_escaped = true,
            (_, b'"') => self.is_in_text = !self.is_in_text,
            (false, b'{' | b'[') => self.depth += 1,
            (false, b'}' | b']') => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    /// Where it begins.
    pub(super) fn offset(&self) -> u64 {
        self.lines.first().map_or(0, |(offset, ..)| *offset)
    }

    /// All of it.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The lines, one by one.
    pub(super) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let mut from = 0;
        self.lines.iter().map(move |(offset, length, ending)| {
            let text = self.text.get(from..from + length).unwrap_or_default();
            from += length + 1;
            Line {
                offset: *offset,
                bytes: *length as u64,
                text,
                tail: &[],
                ending: *ending,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rex_store::jsonl::Lines;

    fn grown(text: &str) -> Option<Vec<Grown>> {
        let mut lines = Lines::new(text.as_bytes());
        let first = lines.read().unwrap().unwrap();
        let mut spread = Spread::begin(&first)?;
        let mut found = vec![];
        while let Some(line) = lines.read().unwrap() {
            found.push(spread.add(&line));
        }
        Some(found)
    }

    #[test]
    fn lines_are_held_while_they_may_be_one_value() {
        use Grown::{Broken, Open, Whole};
        for (text, expected) in [
            (
                "{\n \"a\": [\n  \"}\"\n ]\n}\n",
                Some(vec![Open, Open, Open, Whole]),
            ),
            ("{\"a\":\n{\"b\":1}\n", Some(vec![Broken])),
            ("{\"a\":\"cut\n{\"b\":1}\n", None),
            ("[1,\n2]\n", None),
            ("{\"a\":1}\n", None),
        ] {
            assert_eq!(grown(text), expected, "{text}");
        }
    }

    #[test]
    fn lines_that_are_no_value_together_are_given_back_as_they_were() {
        let text = "{\"a\":\n{\"b\":1}\n";
        let mut lines = Lines::new(text.as_bytes());
        let mut spread = Spread::begin(&lines.read().unwrap().unwrap()).unwrap();
        spread.add(&lines.read().unwrap().unwrap());
        let mut again = Lines::new(text.as_bytes());
        for line in spread.lines() {
            let expected = again.read().unwrap().unwrap();
            assert_eq!(
                (line.offset, line.bytes, line.text, line.ending, line.is_whole()),
                (
                    expected.offset,
                    expected.bytes,
                    expected.text,
                    expected.ending,
                    true
                )
            );
        }
    }
}
