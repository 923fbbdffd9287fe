//! Words of messages: lengths log-normal with median 120 bytes, 2 % of 4,096 or more.

use crate::generate::dice::Dice;

/// Words of at least so many bytes that joined the lineage live in their node only.
pub const HELD_BYTES: usize = 4096;

/// How the words of a store are drawn; shares in thousandths.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Steers that say "go on".
    pub same: u32,
    /// Steers of 4,096 bytes or more, on top of the log-normal tail.
    pub long_steers: u32,
    /// Messages from [`ODD`] instead of plain words.
    pub odd: u32,
    /// The longest words drawn from the tail, in bytes.
    pub most_bytes: usize,
}

/// What a careful tester sends: nothing, blanks, NUL, line ends, marks, joined emoji, twins in two normal forms.
pub const ODD: [&str; 14] = [
    "",
    " ",
    "go on",
    "go on",
    "go on ",
    "a\0b",
    "one\r\ntwo",
    "\u{200f}mark\u{202e}",
    "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}",
    "caf\u{e9}",
    "cafe\u{301}",
    "turn:Bob/7",
    "{\"type\":\"message\",\"role\":\"user\"}",
    "ok",
];

/// Lengths in bytes at these thousandths: log-normal with median 120, except that the last 20 are held by nodes.
const QUANTILES: [(u64, u64); 15] = [
    (0, 1),
    (50, 23),
    (100, 33),
    (200, 52),
    (300, 71),
    (400, 93),
    (500, 120),
    (600, 155),
    (700, 203),
    (800, 278),
    (900, 432),
    (950, 622),
    (980, 936),
    (980, 4096),
    (1000, 5400),
];

const VOCABULARY: [&str; 32] = [
    "please", "the", "build", "again", "look", "at", "test", "that", "fails", "and", "tell", "me", "why",
    "it", "was", "slow", "then", "write", "a", "note", "for", "review", "before", "you", "change", "schema",
    "or", "move", "rows", "into", "new", "table",
];

/// A length in bytes from the distribution.
pub(crate) fn length(dice: &mut Dice) -> usize {
    let at = dice.below(1_000_000);
    let mut low = (0, 1);
    for (permille, bytes) in QUANTILES {
        let high = (permille * 1000, bytes);
        if at < high.0 {
            let into = (at - low.0) * (high.1 - low.1) / (high.0 - low.0).max(1);
            return (low.1 + into) as usize;
        }
        low = high;
    }
    low.1 as usize
}

/// Plain words of a length from the distribution; they need no escaping in JSON.
pub(crate) fn draw_plain(dice: &mut Dice) -> String {
    let bytes = length(dice);
    plain(dice, bytes)
}

/// Plain words of exactly `bytes` bytes.
pub(crate) fn plain(dice: &mut Dice, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 8);
    while text.len() < bytes {
        let word: &&str = dice.pick(&VOCABULARY);
        text.push_str(word);
        text.push(' ');
    }
    text.truncate(bytes);
    text
}

impl Words {
    /// The words of one message.
    pub(crate) fn draw(&self, dice: &mut Dice, is_steer: bool) -> String {
        if is_steer && dice.chance(self.same) {
            return "go on".to_owned();
        }
        if is_steer && dice.chance(self.long_steers) {
            let bytes = HELD_BYTES as u64 + dice.below(900);
            return plain(dice, bytes as usize);
        }
        if dice.chance(self.odd) {
            return (*dice.pick(&ODD)).to_owned();
        }
        let bytes = length(dice).min(self.most_bytes);
        plain(dice, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::{Dice, HELD_BYTES, Words, length};

    #[test]
    fn half_are_below_120_bytes_and_2_in_100_are_held() {
        let mut dice = Dice::new(3);
        let mut lengths: Vec<usize> = (0..20_000).map(|_| length(&mut dice)).collect();
        lengths.sort_unstable();
        assert!(
            (110..=130).contains(&lengths[10_000]),
            "median {}",
            lengths[10_000]
        );
        let held = lengths.iter().filter(|&&bytes| bytes >= HELD_BYTES).count();
        assert!((340..=460).contains(&held), "held {held}");
    }

    #[test]
    fn words_have_the_length_that_was_drawn() {
        let words = Words {
            most_bytes: 50,
            ..Words::default()
        };
        let mut dice = Dice::new(4);
        assert!((0..500).all(|_| words.draw(&mut dice, false).len() <= 50));
    }
}
