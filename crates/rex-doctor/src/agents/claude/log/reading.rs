//! Takes a log in, line by line.

use std::path::Path;

use rex_store::jsonl::{Ending, Fault, Line, Lines};

use super::super::entry::Entry;
use super::super::row::Mark;
use super::super::torn::{self, Torn};
use super::Transcript;
use super::spread::{Grown, Spread};
use crate::evidence::{Says, Why};
use crate::place::{LogFile, Place};

impl Transcript {
    /// Reads the log at `path` whole.
    pub(in super::super) fn read(place: &Place, path: &Path) -> Says<Self> {
        place.open(path).map(|file| Self::of(path, file))
    }

    fn of(path: &Path, file: LogFile) -> Self {
        let mut log = Self::empty(path, file.bytes(), file.stat().modified);
        let mut lines = Lines::new(file);
        let mut spread = None;
        loop {
            match lines.read() {
                Ok(Some(line)) => {
                    if log.spreads(&line, &mut spread) {
                        continue;
                    }
                    if let Some((offset, bytes)) = log.take(line) {
                        let parsed = lines.parse_long::<Entry>(offset, bytes);
                        log.take_long(parsed, offset, bytes);
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    let why = Says::<()>::from(error);
                    log.cut = why.why().cloned().or(Some(Why::Changed));
                    break;
                }
            }
        }
        if let Some(spread) = spread {
            log.take_apart(&spread);
        }
        log
    }

    /// Holds the line back while it may be a part of a value that spreads over several; false where it stands alone.
    fn spreads(&mut self, line: &Line<'_>, held: &mut Option<Spread>) -> bool {
        let Some(mut spread) = held.take() else {
            let is_cut = !line.text.trim_ascii_end().ends_with(b"}");
            *held = is_cut.then(|| Spread::begin(line)).flatten();
            return held.is_some();
        };
        match spread.add(line) {
            Grown::Open => *held = Some(spread),
            Grown::Broken => self.take_apart(&spread),
            Grown::Whole => match serde_json::from_slice::<Entry>(spread.text()) {
                Ok(entry) => self.take_spread(&spread, entry),
                Err(_) => self.take_apart(&spread),
            },
        }
        true
    }

    fn take_spread(&mut self, spread: &Spread, entry: Entry) {
        let text = spread.text();
        self.is_usable |= torn::names_talk(text);
        self.names_parents |= torn::names_parent(text);
        let digest = torn::line_digest(text);
        self.note(entry, spread.offset(), digest, &[(true, Mark::Spread)]);
        let bytes = text.len() as u64;
        self.fault(Torn::of(spread.offset(), bytes, Fault::Torn, 1, &[], false));
    }

    /// Takes lines one by one that are not one value.
    fn take_apart(&mut self, spread: &Spread) {
        for line in spread.lines() {
            self.take(line);
        }
    }

    /// Takes in one line; returns its place where it is too long to be held.
    pub(in super::super) fn take(&mut self, line: Line<'_>) -> Option<(u64, u64)> {
        if line.offset == 0 {
            self.starts_with = line
                .text
                .get(..line.text.len().min(16))
                .unwrap_or_default()
                .to_vec();
        }
        self.longest_line_bytes = self.longest_line_bytes.max(line.bytes);
        self.is_usable |= torn::names_talk(line.text) || torn::names_talk(line.tail);
        self.names_parents |= torn::names_parent(line.text) || torn::names_parent(line.tail);
        let (text, marked) = match line.text.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if line.offset == 0 => (rest, true),
            Some(_) | None => (line.text, false),
        };
        let line = Line {
            text,
            bytes: line.bytes - if marked { 3 } else { 0 },
            ..line
        };
        match line.parse::<Entry>() {
            Ok(entry) => self.note(
                entry,
                line.offset,
                torn::line_digest(text),
                &[(marked, Mark::AfterBom)],
            ),
            Err(Fault::Blank) => {}
            Err(Fault::TooLong) => return Some((line.offset, line.bytes)),
            Err(fault) => self.take_faulty(line, fault, marked),
        }
        if self.bad_utf8.is_none() && (marked || !text.is_ascii()) {
            self.bad_utf8 = line.bad_utf8().map(|at| line.offset + at as u64);
        }
        None
    }

    fn take_long(&mut self, parsed: Result<Entry, Fault>, offset: u64, bytes: u64) {
        match parsed {
            Ok(entry) => {
                if let Entry::Row(row) = &entry {
                    self.is_usable |= row.kind.is("user") || row.kind.is("assistant");
                }
                self.note(entry, offset, bytes as u32, &[]);
            }
            Err(fault) => self.fault(Torn::unseen(offset, bytes, fault)),
        }
    }

    /// Takes in a line that is not one value: the values in it that are whole, and what is left.
    fn take_faulty(&mut self, line: Line<'_>, fault: Fault, marked: bool) {
        let text = torn::mended(line.text);
        let mut values = serde_json::Deserializer::from_slice(&text).into_iter::<Entry>();
        let mut count = 0;
        let first_row = self.rows.len();
        let digest = torn::line_digest(&text);
        let mut whole = 0;
        while let Some(Ok(entry)) = values.next() {
            let is_alone = count == 0
                && text
                    .get(values.byte_offset()..)
                    .unwrap_or_default()
                    .trim_ascii()
                    .is_empty();
            self.note(
                entry,
                line.offset,
                digest + count,
                &[
                    (!is_alone, Mark::Joined),
                    (count > 0, Mark::Behind),
                    (marked, Mark::AfterBom),
                ],
            );
            count += 1;
            whole = values.byte_offset();
        }
        let rest = text.get(whole..).unwrap_or_default();
        self.mark_returns(&text, count, first_row);
        if count == 1 && rest.trim_ascii().is_empty() {
            return;
        }
        let ending = line.ending == Ending::EndOfFile;
        self.fault(Torn::of(line.offset, line.bytes, fault, count, rest, ending));
    }

    /// Marks the rows of a line in which carriage returns stand between all values.
    fn mark_returns(&mut self, text: &[u8], values: u32, first_row: usize) {
        let parts = text.split(|byte| *byte == b'\r');
        let parts = parts.filter(|part| !part.trim_ascii().is_empty()).count();
        if parts == values as usize {
            for row in self.rows.iter_mut().skip(first_row) {
                row.mark(Mark::Returned);
            }
        }
    }
}
