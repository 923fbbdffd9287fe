//! Texts of a review store.

use std::fmt::Write as _;

use crate::generate::dice::Dice;

const VOCABULARY: [&str; 40] = [
    "the",
    "price",
    "table",
    "is",
    "wrong",
    "in",
    "this",
    "section",
    "and",
    "should",
    "say",
    "what",
    "customers",
    "see",
    "when",
    "they",
    "order",
    "again",
    "error",
    "warning",
    "line",
    "file",
    "function",
    "returns",
    "value",
    "test",
    "failed",
    "expected",
    "found",
    "module",
    "import",
    "cannot",
    "resolve",
    "path",
    "build",
    "finished",
    "with",
    "seconds",
    "changed",
    "commit",
];

/// Words of about so many bytes, some of them numbers that no other text has.
pub(super) fn text(dice: &mut Dice, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 16);
    while text.len() < bytes {
        if dice.chance(60) {
            let _written = write!(text, "{:x} ", dice.below(1 << 24));
        } else {
            let word: &&str = dice.pick(&VOCABULARY);
            text.push_str(word);
            text.push(' ');
        }
    }
    text.truncate(bytes);
    text
}

/// The result of a tool, clipped at 4,000 bytes as the application clips it: most are as long as may be.
pub(super) fn result(dice: &mut Dice) -> String {
    let bytes = match dice.weighted(&[10, 20, 70]) {
        0 => dice.range(10, 400),
        1 => dice.range(400, 3_000),
        _ => 4_000,
    };
    text(dice, bytes as usize)
}

/// A place in a document.
pub(super) fn anchor(dice: &mut Dice) -> String {
    let (start, line) = (dice.below(80_000), dice.below(900));
    let exact = text(dice, 40);
    format!(
        r#"{{"quote":{{"exact":"{exact}","prefix":"","suffix":""}},"position":{{"start":{start},"end":{}}},"source":{{"file":"/w/docs/a.md","line":{line}}}}}"#,
        start + 40
    )
}

/// A time so many seconds after the first.
pub(super) fn time(seconds: u64) -> String {
    let (minutes, second) = (seconds / 60, seconds % 60);
    let (hours, minute) = (minutes / 60, minutes % 60);
    let (days, hour) = (hours / 24, hours % 24);
    let (month, day) = (1 + days / 28 % 12, 1 + days % 28);
    format!("2026-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.000Z")
}
