//! Handles, the texts by which programs name a message or a process, parsed exactly and rendered back.
//!
//! A text that differs from its own rendering in one byte is no handle.

use std::fmt;

/// A handle as the store spells it at version 90.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Handle90<'a> {
    /// `turn:BOT/N`.
    Turn {
        /// Not empty; everything between the first `turn:` and the last `/`.
        bot: &'a str,
        /// From 1 to 2^63-1.
        number: i64,
    },
    /// `proc:N`, from 1 to 2^63-1.
    Process(i64),
}

/// A handle as the store spells it at version 91.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Handle91<'a> {
    /// `BOT/N`.
    Message {
        /// Not empty; everything before the last `/`.
        bot: &'a str,
        /// From 1 to 2^63-1.
        number: i64,
    },
    /// `proc:N`, from 1 to 2^63-1; tried first, so a bot called `proc:1` is no obstacle.
    Process(i64),
}

impl<'a> Handle90<'a> {
    /// Reads a handle; `None` for every text that is not exactly one.
    pub fn parse(text: &'a str) -> Option<Self> {
        if let Some(number) = process(text) {
            return Some(Self::Process(number));
        }
        let (bot, number) = numbered(text.strip_prefix("turn:")?)?;
        Some(Self::Turn { bot, number })
    }

    /// Gives the handle that names the same thing at version 91.
    pub fn at_91(self) -> Handle91<'a> {
        match self {
            Self::Turn { bot, number } => Handle91::Message { bot, number },
            Self::Process(number) => Handle91::Process(number),
        }
    }
}

impl<'a> Handle91<'a> {
    /// Reads a handle; `None` for every text that is not exactly one.
    pub fn parse(text: &'a str) -> Option<Self> {
        if let Some(number) = process(text) {
            return Some(Self::Process(number));
        }
        let (bot, number) = numbered(text)?;
        Some(Self::Message { bot, number })
    }
}

impl fmt::Display for Handle90<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn { bot, number } => write!(f, "turn:{bot}/{number}"),
            Self::Process(number) => write!(f, "proc:{number}"),
        }
    }
}

impl fmt::Display for Handle91<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message { bot, number } => write!(f, "{bot}/{number}"),
            Self::Process(number) => write!(f, "proc:{number}"),
        }
    }
}

fn process(text: &str) -> Option<i64> {
    positive(text.strip_prefix("proc:")?)
}

fn numbered(text: &str) -> Option<(&str, i64)> {
    let (bot, number) = text.rsplit_once('/')?;
    if bot.is_empty() {
        return None;
    }
    Some((bot, positive(number)?))
}

/// `parse` would also take a sign and leading zeros, which no rendering has.
fn positive(digits: &str) -> Option<i64> {
    let plain = matches!(digits.as_bytes().first(), Some(b'1'..=b'9'));
    digits.parse().ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn version_90_reads_exactly_its_own_renderings() {
        let turn = |bot, number| Some(Handle90::Turn { bot, number });
        let cases = [
            ("turn:Bob/7", turn("Bob", 7)),
            ("turn:Bob/1", turn("Bob", 1)),
            ("turn:Bob/9223372036854775807", turn("Bob", i64::MAX)),
            ("turn:Bob/9223372036854775808", None),
            ("turn:Bob/18446744073709551623", None),
            ("turn:Bob/0", None),
            ("turn:Bob/007", None),
            ("turn:Bob/+7", None),
            ("turn:Bob/-7", None),
            ("turn:Bob/ 7", None),
            ("turn:Bob/7 ", None),
            ("turn:Bob/7\n", None),
            (" turn:Bob/7", None),
            ("turn:Bob/", None),
            ("turn:Bob", None),
            ("turn:Bob/٧", None),
            ("turn:Bob/7.0", None),
            ("turn:Bob/0x7", None),
            ("turn:/7", None),
            ("turn: /7", turn(" ", 7)),
            ("turn://7", turn("/", 7)),
            ("turn:turn:x/7", turn("turn:x", 7)),
            ("turn:a/b/7", turn("a/b", 7)),
            ("turn:a/7/8", turn("a/7", 8)),
            ("turn:proc:1/7", turn("proc:1", 7)),
            ("turn:it's \"me\"/7", turn("it's \"me\"", 7)),
            ("TURN:Bob/7", None),
            ("Bob/7", None),
            ("proc:1", Some(Handle90::Process(1))),
            ("proc:9223372036854775808", None),
            ("proc:01", None),
            ("proc:+1", None),
            ("proc:", None),
            ("proc:1/7", None),
            ("PROC:1", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Handle90::parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn version_91_tries_a_process_first_and_then_any_bot() {
        let message = |bot, number| Some(Handle91::Message { bot, number });
        let cases = [
            ("Bob/7", message("Bob", 7)),
            ("turn:Bob/7", message("turn:Bob", 7)),
            ("turn:/7", message("turn:", 7)),
            ("TURN:Bob/7", message("TURN:Bob", 7)),
            ("a/b/7", message("a/b", 7)),
            ("proc:1/7", message("proc:1", 7)),
            ("proc:1", Some(Handle91::Process(1))),
            ("proc:01", None),
            ("/7", None),
            ("Bob/07", None),
            ("Bob/9223372036854775808", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Handle91::parse(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_rendered_handle_reads_back(bot in "\\PC{1,12}", number in 1..=i64::MAX) {
            let old = Handle90::Turn { bot: &bot, number };
            let text = old.to_string();
            prop_assert_eq!(Handle90::parse(&text), Some(old));
            let text = old.at_91().to_string();
            prop_assert_eq!(Handle91::parse(&text), Some(old.at_91()));
        }

        #[test]
        fn whatever_reads_renders_to_the_same_bytes(text in "(turn:|proc:|TURN:)?(turn:|proc:)?[a/ +0-9]{0,6}/?[-+0-9]{1,21}") {
            if let Some(handle) = Handle90::parse(&text) {
                prop_assert_eq!(handle.to_string(), text.as_str());
            }
            if let Some(handle) = Handle91::parse(&text) {
                prop_assert_eq!(handle.to_string(), text.as_str());
            }
        }
    }
}
