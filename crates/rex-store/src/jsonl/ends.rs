//! The first and the last part of a file, for a look that must not read it whole.

use std::io::{self, Read, Seek, SeekFrom};

use memchr::memchr;

use super::{Ending, Line, split};

/// The two ends of a file, or the whole of a small one.
#[derive(Clone, Debug)]
pub struct Ends {
    head: Vec<u8>,
    tail: Vec<u8>,
    tail_offset: u64,
}

impl Ends {
    /// Reads the first and last `each_bytes` of a file, or all of it if that is no more than both.
    ///
    /// # Errors
    /// What the system says.
    pub fn read(file: &mut (impl Read + Seek), each_bytes: u64) -> io::Result<Self> {
        let bytes = file.seek(SeekFrom::End(0))?;
        let is_small = bytes <= each_bytes.saturating_mul(2);
        let head = part(file, 0, if is_small { bytes } else { each_bytes })?;
        let tail_offset = if is_small { bytes } else { bytes - each_bytes };
        let tail = if is_small {
            vec![]
        } else {
            part(file, tail_offset, each_bytes)?
        };
        Ok(Self {
            head,
            tail,
            tail_offset,
        })
    }

    /// True where the head is the whole file.
    pub fn is_whole(&self) -> bool {
        self.tail.is_empty()
    }

    /// The first bytes of the file.
    pub fn head_bytes(&self) -> &[u8] {
        &self.head
    }

    /// The lines of the head; where the file goes on, the last one ends with [`Ending::Beyond`] unless the head
    /// happens to end with a line.
    pub fn head(&self) -> impl Iterator<Item = Line<'_>> {
        let is_whole = self.is_whole();
        split(&self.head, 0).map(move |line| match line.ending {
            Ending::EndOfFile if !is_whole => Line {
                ending: Ending::Beyond,
                ..line
            },
            Ending::Newline | Ending::EndOfFile | Ending::Beyond => line,
        })
    }

    /// The lines of the tail, from the first one that begins in it. Empty for a whole file, and where one line is
    /// longer than the tail.
    pub fn tail(&self) -> impl Iterator<Item = Line<'_>> {
        let skipped = memchr(b'\n', &self.tail).map_or(self.tail.len(), |end| end + 1);
        split(
            self.tail.get(skipped..).unwrap_or_default(),
            self.tail_offset + skipped as u64,
        )
    }
}

fn part(file: &mut (impl Read + Seek), offset: u64, bytes: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset))?;
    let mut part = Vec::with_capacity(bytes as usize);
    file.by_ref().take(bytes).read_to_end(&mut part)?;
    Ok(part)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn texts<'a>(lines: impl Iterator<Item = Line<'a>>) -> Vec<(u64, String, Ending)> {
        lines
            .map(|line| {
                (
                    line.offset,
                    String::from_utf8_lossy(line.text).into_owned(),
                    line.ending,
                )
            })
            .collect()
    }

    #[test]
    fn the_ends_of_a_file_keep_their_offsets() {
        let mut file = Cursor::new("11\n22\n33\n44\n55".as_bytes());
        let small = Ends::read(&mut file, 7).unwrap();
        assert!(small.is_whole());
        assert_eq!((small.head().count(), small.tail().count()), (5, 0));
        let ends = Ends::read(&mut file, 4).unwrap();
        assert!(!ends.is_whole());
        let head = [
            (0, "11".to_owned(), Ending::Newline),
            (3, "2".to_owned(), Ending::Beyond),
        ];
        assert_eq!(texts(ends.head()), head);
        assert_eq!(texts(ends.tail()), [(12, "55".to_owned(), Ending::EndOfFile)]);
        assert!(Ends::read(&mut Cursor::new(b""), 4).unwrap().is_whole());
    }
}
