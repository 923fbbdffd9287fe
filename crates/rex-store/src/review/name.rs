//! What a comment is called.

/// A comment without a word in it.
const UNTITLED: &str = "Untitled";

/// The title if it has one; else the first line of the note that is not blank, runs of blanks made one.
pub fn name(title: Option<&str>, note: &str) -> String {
    let title = title.map(str::trim).filter(|title| !title.is_empty());
    let line = || note.lines().find(|line| !line.trim().is_empty());
    match title {
        Some(title) => title.to_owned(),
        None => line().map_or_else(
            || UNTITLED.to_owned(),
            |line| line.split_whitespace().collect::<Vec<_>>().join(" "),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn a_title_wins_and_the_first_line_with_a_word_stands_in() {
        for (title, note, expected) in [
            (Some(" The number "), "x", "The number"),
            (Some("  "), "\n \n  two\t words  \nmore", "two words"),
            (None, "one\r\ntwo", "one"),
            (None, " \n", "Untitled"),
            (None, "", "Untitled"),
        ] {
            assert_eq!(name(title, note), expected, "{title:?} {note:?}");
        }
    }
}
