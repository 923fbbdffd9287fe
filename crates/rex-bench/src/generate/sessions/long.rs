//! One very long log of Claude Code, written as it grows: what the doctor's memory is measured on.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

use super::{END_MS, failed, stamp};
use crate::error::BenchError;

/// Writes a home with one log of so many rows, each of about so many bytes.
///
/// # Errors
/// [`BenchError::File`], a full disk for one.
pub fn generate(home: &Path, rows: u64, row_bytes: usize) -> Result<(), BenchError> {
    let id = "00000000-0000-4000-8000-000000000001";
    let cwd = home.join("work");
    let key: String = cwd
        .to_string_lossy()
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '-'
            }
        })
        .collect();
    let folder = home.join(".claude/projects").join(key);
    for folder in [&cwd, &folder] {
        fs::create_dir_all(folder).map_err(failed("create", folder))?;
    }
    let path = folder.join(format!("{id}.jsonl"));
    let mut out = BufWriter::new(File::create_new(&path).map_err(failed("create", &path))?);
    let words = "go on ".repeat(row_bytes.div_ceil(6));
    let words = words.get(..row_bytes).unwrap_or(&words);
    for row in 1..=rows {
        let parent = match row {
            1 => "null".to_owned(),
            _ => format!("\"{}\"", uuid(row - 1)),
        };
        let (kind, message) = if row % 2 == 1 {
            ("user", format!(r#"{{"role":"user","content":"{words}"}}"#))
        } else {
            let content = format!(r#"[{{"type":"text","text":"{words}"}}]"#);
            let message = format!(
                r#"{{"id":"msg_{row}","role":"assistant","content":{content},"stop_reason":"end_turn"}}"#
            );
            ("assistant", message)
        };
        let folder = cwd.display();
        let (at, uuid) = (stamp(END_MS - (rows - row) as i64), uuid(row));
        writeln!(
            out,
            r#"{{"parentUuid":{parent},"isSidechain":false,"type":"{kind}","message":{message},"uuid":"{uuid}","timestamp":"{at}","cwd":"{folder}","sessionId":"{id}","version":"2.1.332"}}"#
        )
        .map_err(failed("write", &path))?;
    }
    out.flush().map_err(failed("write", &path))
}

fn uuid(row: u64) -> String {
    format!("10000000-0000-4000-8000-{row:012x}")
}
