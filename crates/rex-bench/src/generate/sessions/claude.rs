//! Logs of Claude Code 2.1.332.

use std::path::{Path, PathBuf};

use super::{END_MS, Home, stamp};
use crate::error::BenchError;
use crate::generate::daemon::words;

/// Writes the sessions, each of about so many bytes, and the client's state file.
pub(super) fn write(home: &mut Home<'_>, sizes: &[u64]) -> Result<(), BenchError> {
    let state = r#"{"firstStartTime":"2026-06-01T08:00:00.000Z","firstStartVersion":"2.1.300","migrationVersion":15}"#;
    home.write(Path::new(".claude.json"), state.as_bytes(), END_MS)?;
    for bytes in sizes {
        let started_ms = END_MS - home.dice.range(0, 25 * 86_400_000);
        let mut log = Log::new(home, started_ms);
        while (log.text.len() as u64) < *bytes {
            log.turn(home);
        }
        log.close();
        home.write(&log.path(), log.text.as_bytes(), log.ms)?;
    }
    Ok(())
}

/// A log under construction.
struct Log {
    id: String,
    cwd: String,
    ms: i64,
    parent: Option<String>,
    turns: u64,
    last_prompt: String,
    text: String,
}

impl Log {
    fn new(home: &mut Home<'_>, ms: i64) -> Self {
        let cwd = home.project().to_string_lossy().into_owned();
        Self {
            id: home.uuid(),
            cwd,
            ms,
            parent: None,
            turns: 0,
            last_prompt: String::new(),
            text: String::new(),
        }
    }

    fn path(&self) -> PathBuf {
        Path::new(".claude/projects")
            .join(key(&self.cwd))
            .join(format!("{}.jsonl", self.id))
    }

    /// A prompt, some tool calls with their results, a reply.
    fn turn(&mut self, home: &mut Home<'_>) {
        self.turns += 1;
        let prompt = words::draw_plain(&mut home.dice);
        self.side(
            "queue-operation",
            &format!(r#""operation":"enqueue","timestamp":"{}""#, stamp(self.ms)),
        );
        let members = format!(r#""message":{{"role":"user","content":{prompt:?}}},"promptSource":"typed""#);
        self.row(home, "user", &members);
        for call in 0..home.dice.below(6) {
            let tool = format!(
                "toolu_{:02}{call:02}{:012x}",
                self.turns,
                home.dice.below(1 << 48)
            );
            let content =
                format!(r#"[{{"type":"tool_use","id":"{tool}","name":"Bash","input":{{"command":"ls"}}}}]"#);
            self.assistant(home, &content, "tool_use");
            let result_bytes = match home.dice.below(20) {
                0 => home.dice.range(20_000, 60_000),
                _ => home.dice.range(100, 6_000),
            };
            let result = words::plain(&mut home.dice, result_bytes as usize);
            let members = format!(
                r#""message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{tool}","content":"{result}"}}]}},"toolUseResult":{{"stdout":"","stderr":"","interrupted":false}}"#
            );
            self.row(home, "user", &members);
        }
        let reply = words::draw_plain(&mut home.dice);
        self.assistant(
            home,
            &format!(r#"[{{"type":"text","text":"{reply}"}}]"#),
            "end_turn",
        );
        self.last_prompt = prompt;
    }

    fn assistant(&mut self, home: &mut Home<'_>, content: &str, stop: &str) {
        let message_id = format!("msg_{:024x}", home.dice.below(1 << 60));
        let members = format!(
            r#""message":{{"id":"{message_id}","type":"message","role":"assistant","model":"claude-opus-5-5","content":{content},"stop_reason":"{stop}","stop_sequence":null,"usage":{{"input_tokens":10,"output_tokens":50}}}},"requestId":"req_{:016x}""#,
            home.dice.below(1 << 60)
        );
        self.row(home, "assistant", &members);
    }

    /// A row of the chain.
    fn row(&mut self, home: &mut Home<'_>, kind: &str, members: &str) {
        self.ms += home.dice.range(20, 4000);
        let uuid = home.uuid();
        let parent = self
            .parent
            .as_ref()
            .map_or("null".to_owned(), |parent| format!("\"{parent}\""));
        let line = format!(
            r#"{{"parentUuid":{parent},"isSidechain":false,"type":"{kind}",{members},"uuid":"{uuid}","timestamp":"{}","userType":"external","entrypoint":"cli","cwd":{:?},"sessionId":"{}","version":"2.1.332","gitBranch":"main"}}"#,
            stamp(self.ms),
            self.cwd,
            self.id
        );
        self.text.push_str(&line);
        self.text.push('\n');
        self.parent = Some(uuid);
    }

    /// A row beside the chain.
    fn side(&mut self, kind: &str, members: &str) {
        let line = format!(r#"{{"type":"{kind}",{members},"sessionId":"{}"}}"#, self.id);
        self.text.push_str(&line);
        self.text.push('\n');
    }

    fn close(&mut self) {
        let leaf = self.parent.clone().unwrap_or_default();
        self.side(
            "last-prompt",
            &format!(r#""lastPrompt":{:?},"leafUuid":"{leaf}""#, self.last_prompt),
        );
        self.side("mode", r#""mode":"normal""#);
    }
}

/// The client's name for a folder: code units that are no ASCII letter or digit become hyphens; long ones are cut and hashed.
fn key(cwd: &str) -> String {
    let name: String = cwd
        .encode_utf16()
        .map(|unit| {
            char::from_u32(u32::from(unit))
                .filter(char::is_ascii_alphanumeric)
                .unwrap_or('-')
        })
        .collect();
    let Some(head) = name.get(..200).filter(|_| name.len() > 200) else {
        return name;
    };
    let hash = cwd.encode_utf16().fold(0_i32, |hash, unit| {
        (hash << 5).wrapping_sub(hash).wrapping_add(i32::from(unit))
    });
    format!("{head}-{}", base36(hash.unsigned_abs()))
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn a_folder_has_the_client_s_key() {
        assert_eq!(key("/home/a.b/w_x"), "-home-a-b-w-x");
        assert_eq!(key("/\u{1f600}"), "---");
        let long = key(&format!("/{}", "a".repeat(250)));
        assert!(long.starts_with(&format!("-{}-", "a".repeat(199))), "{long}");
    }
}
