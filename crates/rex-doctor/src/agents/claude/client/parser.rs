//! What the clients' own JSON parsers say about a text that does not parse: a part of their error messages.

use std::iter::Peekable;
use std::str::Chars;

/// The words of the parser that the clients from 2.1 on are built with; none where the text parses.
pub(in super::super) fn complaint(text: &str) -> Option<String> {
    let mut parser = Parser {
        rest: text.chars().peekable(),
        depth: 0,
    };
    if let Err(words) = parser.value() {
        return Some(words);
    }
    parser.blanks();
    let is_end = parser.rest.peek().is_none();
    (!is_end).then(|| "Unable to parse JSON string".to_owned())
}

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
    depth: u32,
}

type Parsed = Result<(), String>;

impl Parser<'_> {
    fn blanks(&mut self) {
        while self
            .rest
            .next_if(|c| matches!(c, ' ' | '\t' | '\n' | '\r'))
            .is_some()
        {}
    }

    fn next_is(&mut self, wanted: char) -> bool {
        self.blanks();
        self.rest.next_if_eq(&wanted).is_some()
    }

    fn value(&mut self) -> Parsed {
        self.blanks();
        self.depth += 1;
        if self.depth > 10_000 {
            return Err("Maximum call stack size exceeded.".to_owned());
        }
        let Some(first) = self.rest.peek().copied() else {
            return Err("Unexpected EOF".to_owned());
        };
        let parsed = match first {
            '{' => self.object(),
            '[' => self.list(),
            '"' => self.text(),
            '-' | '0'..='9' => self.number(),
            '}' | ']' | ':' | ',' => Err(format!("Unexpected token '{first}'")),
            '\'' => Err("Single quotes (') are not allowed in JSON".to_owned()),
            first if is_word(first) => self.word(),
            other => Err(format!("Unrecognized token '{other}'")),
        };
        self.depth -= 1;
        parsed
    }

    fn object(&mut self) -> Parsed {
        self.rest.next();
        if self.next_is('}') {
            return Ok(());
        }
        let mut is_first = true;
        loop {
            self.blanks();
            match self.rest.peek() {
                Some('"') => self.text()?,
                Some('\'') => return Err("Single quotes (') are not allowed in JSON".to_owned()),
                Some(_) | None if is_first => return Err("Expected '}'".to_owned()),
                Some(_) | None => return Err("Property name must be a string literal".to_owned()),
            }
            is_first = false;
            if !self.next_is(':') {
                return Err("Expected ':' before value in object property definition".to_owned());
            }
            self.value()?;
            if !self.next_is(',') {
                return if self.next_is('}') {
                    Ok(())
                } else {
                    Err("Expected '}'".to_owned())
                };
            }
        }
    }

    fn list(&mut self) -> Parsed {
        self.rest.next();
        if self.next_is(']') {
            return Ok(());
        }
        loop {
            self.value()?;
            if !self.next_is(',') {
                return if self.next_is(']') {
                    Ok(())
                } else {
                    Err("Expected ']'".to_owned())
                };
            }
        }
    }

    fn text(&mut self) -> Parsed {
        self.rest.next();
        loop {
            match self.rest.next() {
                Some('"') => return Ok(()),
                Some('\\') => match self.rest.next() {
                    Some('u') => {
                        for _ in 0..4 {
                            if self.rest.next_if(char::is_ascii_hexdigit).is_none() {
                                return Err("\\u must be followed by 4 hex digits".to_owned());
                            }
                        }
                    }
                    Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => {}
                    Some(other) => return Err(format!("Invalid escape character {other}")),
                    None => return Err("Unterminated string".to_owned()),
                },
                Some(c) if c >= ' ' => {}
                Some(_) | None => return Err("Unterminated string".to_owned()),
            }
        }
    }

    fn number(&mut self) -> Parsed {
        let _minus = self.rest.next_if_eq(&'-');
        if self.rest.next_if_eq(&'0').is_none() && !self.digits() {
            return Err("Invalid number".to_owned());
        }
        if self.rest.next_if_eq(&'.').is_some() && !self.digits() {
            return Err("Invalid digits after decimal point".to_owned());
        }
        let mut ahead = self.rest.clone();
        if ahead.next_if(|c| matches!(c, 'e' | 'E')).is_some() {
            let _sign = ahead.next_if(|c| matches!(c, '+' | '-'));
            if ahead.peek().is_some_and(char::is_ascii_digit) {
                self.rest = ahead;
                self.digits();
            }
        }
        Ok(())
    }

    fn digits(&mut self) -> bool {
        let mut any = false;
        while self.rest.next_if(char::is_ascii_digit).is_some() {
            any = true;
        }
        any
    }

    fn word(&mut self) -> Parsed {
        let mut word = String::new();
        while let Some(c) = self.rest.next_if(|c| is_word(*c) || c.is_ascii_digit()) {
            word.push(c);
        }
        match word.as_str() {
            "true" | "false" | "null" => Ok(()),
            other => Err(format!("Unexpected identifier \"{other}\"")),
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$' || !c.is_ascii() && c.is_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::complaint;

    #[test]
    fn texts_get_the_words_of_the_real_parser() {
        for (text, words) in [
            ("{", "Expected '}'"),
            (
                "{\"a\"",
                "Expected ':' before value in object property definition",
            ),
            ("{\"a\":", "Unexpected EOF"),
            ("{\"a\":1,", "Property name must be a string literal"),
            ("{\"a\":\"b", "Unterminated string"),
            ("{\"a\":[1", "Expected ']'"),
            ("{\"a\":tr", "Unexpected identifier \"tr\""),
            ("{\"a\":1}}", "Unable to parse JSON string"),
            ("{\"a\":1.", "Invalid digits after decimal point"),
            ("{\"a\":-", "Invalid number"),
            ("{'a':1}", "Single quotes (') are not allowed in JSON"),
            ("{\"a\":}", "Unexpected token '}'"),
            ("{\"a\":\"\\u12", "\\u must be followed by 4 hex digits"),
            ("{\"a\":\"\\q\"}", "Invalid escape character q"),
            ("// c", "Unrecognized token '/'"),
            ("{\"a\":1e}", "Expected '}'"),
            ("{\"a\":01}", "Expected '}'"),
        ] {
            assert_eq!(complaint(text).as_deref(), Some(words), "{text}");
        }
        for text in ["{}", " [1, {\"a\": -1.5e+3}] ", "null"] {
            assert_eq!(complaint(text), None, "{text}");
        }
    }
}
