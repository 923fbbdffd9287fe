//! Writes a command so that a POSIX shell reads exactly its arguments.

/// Quotes the arguments where they need it and joins them with spaces.
pub fn command(arguments: &[String]) -> String {
    arguments
        .iter()
        .map(|argument| word(argument))
        .collect::<Vec<_>>()
        .join(" ")
}

fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    if text.chars().any(char::is_control) {
        // Only the form with $ can hold a control character without printing it.
        let inner: String = text.chars().map(escaped).collect();
        return format!("$'{inner}'");
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn escaped(c: char) -> String {
    match c {
        '\'' => r"\'".to_owned(),
        '\\' => r"\\".to_owned(),
        // Up to U+009F: two bytes in UTF-8 from U+0080 on.
        c if c.is_control() => c
            .to_string()
            .bytes()
            .fold(String::new(), |text, byte| text + &hex(byte)),
        c => c.to_string(),
    }
}

fn hex(byte: u8) -> String {
    format!("\\x{byte:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        for (text, expected) in [
            ("claude", "claude"),
            ("A=/b", "A=/b"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$HOME;*", "'$HOME;*'"),
            ("a\nb\u{1b}'", r"$'a\x0ab\x1b\''"),
        ] {
            assert_eq!(word(text), expected);
        }
    }
}
