//! SQL in tokens, each in its normal form: no comments, no blanks, keywords in capitals, plain names without quotes.

use std::iter::Peekable;
use std::str::CharIndices;

/// A token of SQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word without quotes: a keyword or a name.
    Word(String),
    /// A name in quotes, without them.
    Quoted(String),
    /// Everything else: strings, numbers, operators.
    Other(String),
}

impl Token {
    /// Says whether this is the keyword (given in capitals) or the operator.
    pub(super) fn is(&self, text: &str) -> bool {
        match self {
            Self::Word(word) => word.eq_ignore_ascii_case(text),
            Self::Quoted(_) => false,
            Self::Other(other) => other == text,
        }
    }

    /// The token as a name, with its own capitals.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Word(text) | Self::Quoted(text) | Self::Other(text) => text,
        }
    }

    /// The normal form.
    pub(super) fn normal(&self) -> String {
        match self {
            Self::Word(word) if is_keyword(word) => word.to_ascii_uppercase(),
            Self::Quoted(name) if !is_plain(name) || is_keyword(name) => {
                format!("\"{}\"", name.replace('"', "\"\""))
            }
            Self::Word(text) | Self::Quoted(text) | Self::Other(text) => text.clone(),
        }
    }
}

/// Joins tokens in their normal form, one blank between two.
pub(super) fn join<'a>(tokens: impl IntoIterator<Item = &'a Token>) -> String {
    tokens
        .into_iter()
        .map(Token::normal)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Splits SQL into tokens. SQLite has accepted the text before, so what is unclosed ends with the text.
pub(super) fn tokens(sql: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = sql.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        match first {
            _ if first.is_whitespace() => {}
            '-' if next == Some('-') => skip_line(&mut chars),
            '/' if next == Some('*') => skip_block(&mut chars),
            '"' | '`' => tokens.push(Token::Quoted(quoted(&mut chars, first))),
            '[' => tokens.push(Token::Quoted(
                chars.by_ref().map(|(_, c)| c).take_while(|c| *c != ']').collect(),
            )),
            '\'' => tokens.push(Token::Other(string(&mut chars))),
            'x' | 'X' if next == Some('\'') => {
                chars.next();
                tokens.push(Token::Other(format!(
                    "X{}",
                    string(&mut chars).to_ascii_uppercase()
                )));
            }
            _ if starts_word(first) => tokens.push(Token::Word(word(sql, start, &mut chars))),
            _ if first.is_ascii_digit()
                || (first == '.' && next.is_some_and(|next| next.is_ascii_digit())) =>
            {
                tokens.push(Token::Other(number(sql, start, &mut chars)));
            }
            _ => tokens.push(Token::Other(operator(first, &mut chars))),
        }
    }
    tokens
}

type Chars<'a> = Peekable<CharIndices<'a>>;

fn skip_line(chars: &mut Chars<'_>) {
    while chars.next_if(|(_, c)| *c != '\n').is_some() {}
}

fn skip_block(chars: &mut Chars<'_>) {
    chars.next();
    let mut last = ' ';
    for (_, c) in chars {
        if last == '*' && c == '/' {
            return;
        }
        last = c;
    }
}

/// Reads to the closing quote; a doubled quote stands for itself.
fn quoted(chars: &mut Chars<'_>, quote: char) -> String {
    let mut text = String::new();
    while let Some((_, c)) = chars.next() {
        if c == quote && chars.next_if(|(_, next)| *next == quote).is_none() {
            break;
        }
        text.push(c);
    }
    text
}

fn string(chars: &mut Chars<'_>) -> String {
    format!("'{}'", quoted(chars, '\'').replace('\'', "''"))
}

fn starts_word(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || !c.is_ascii()
}

fn continues_word(c: char) -> bool {
    starts_word(c) || c.is_ascii_digit() || c == '$'
}

fn word(sql: &str, start: usize, chars: &mut Chars<'_>) -> String {
    take(sql, start, chars, continues_word)
}

fn number(sql: &str, start: usize, chars: &mut Chars<'_>) -> String {
    take(sql, start, chars, |c| {
        c.is_ascii_alphanumeric() || c == '.' || c == '_'
    })
}

fn take(sql: &str, start: usize, chars: &mut Chars<'_>, goes_on: fn(char) -> bool) -> String {
    while chars.next_if(|(_, c)| goes_on(*c)).is_some() {}
    let end = chars.peek().map_or(sql.len(), |(at, _)| *at);
    sql.get(start..end).unwrap_or_default().to_owned()
}

fn operator(first: char, chars: &mut Chars<'_>) -> String {
    let mut text = String::from(first);
    while let Some((_, next)) = chars.peek() {
        let longer = format!("{text}{next}");
        if !["||", "<=", ">=", "<>", "!=", "==", "<<", ">>", "->", "->>"].contains(&longer.as_str()) {
            break;
        }
        text = longer;
        chars.next();
    }
    text
}

fn is_plain(name: &str) -> bool {
    name.starts_with(starts_word) && name.chars().all(continues_word)
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS
        .binary_search(&word.to_ascii_uppercase().as_str())
        .is_ok()
}

/// SQLite's keywords, in order.
#[rustfmt::skip]
const KEYWORDS: [&str; 147] = [
    "ABORT", "ACTION", "ADD", "AFTER", "ALL", "ALTER", "ALWAYS", "ANALYZE", "AND", "AS", "ASC", "ATTACH",
    "AUTOINCREMENT", "BEFORE", "BEGIN", "BETWEEN", "BY", "CASCADE", "CASE", "CAST", "CHECK", "COLLATE", "COLUMN",
    "COMMIT", "CONFLICT", "CONSTRAINT", "CREATE", "CROSS", "CURRENT", "CURRENT_DATE", "CURRENT_TIME",
    "CURRENT_TIMESTAMP", "DATABASE", "DEFAULT", "DEFERRABLE", "DEFERRED", "DELETE", "DESC", "DETACH", "DISTINCT",
    "DO", "DROP", "EACH", "ELSE", "END", "ESCAPE", "EXCEPT", "EXCLUDE", "EXCLUSIVE", "EXISTS", "EXPLAIN", "FAIL",
    "FILTER", "FIRST", "FOLLOWING", "FOR", "FOREIGN", "FROM", "FULL", "GENERATED", "GLOB", "GROUP", "GROUPS",
    "HAVING", "IF", "IGNORE", "IMMEDIATE", "IN", "INDEX", "INDEXED", "INITIALLY", "INNER", "INSERT", "INSTEAD",
    "INTERSECT", "INTO", "IS", "ISNULL", "JOIN", "KEY", "LAST", "LEFT", "LIKE", "LIMIT", "MATCH", "MATERIALIZED",
    "NATURAL", "NO", "NOT", "NOTHING", "NOTNULL", "NULL", "NULLS", "OF", "OFFSET", "ON", "OR", "ORDER", "OTHERS",
    "OUTER", "OVER", "PARTITION", "PLAN", "PRAGMA", "PRECEDING", "PRIMARY", "QUERY", "RAISE", "RANGE", "RECURSIVE",
    "REFERENCES", "REGEXP", "REINDEX", "RELEASE", "RENAME", "REPLACE", "RESTRICT", "RETURNING", "RIGHT",
    "ROLLBACK", "ROW", "ROWS", "SAVEPOINT", "SELECT", "SET", "TABLE", "TEMP", "TEMPORARY", "THEN", "TIES", "TO",
    "TRANSACTION", "TRIGGER", "UNBOUNDED", "UNION", "UNIQUE", "UPDATE", "USING", "VACUUM", "VALUES", "VIEW",
    "VIRTUAL", "WHEN", "WHERE", "WINDOW", "WITH", "WITHOUT",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_one_normal_form() {
        let cases = [
            ("create\n\ttable -- a comment\n T", "CREATE TABLE T"),
            ("a/* b */c/**/d", "a c d"),
            ("\"plain\" `plain` [plain]", "plain plain plain"),
            (
                "\"two words\" \"a\"\"b\" \"select\" \"7\"",
                "\"two words\" \"a\"\"b\" \"select\" \"7\"",
            ),
            ("'it''s -- no comment'", "'it''s -- no comment'"),
            ("x'aB' X'cd'", "X'AB' X'CD'"),
            ("a<=b||c->>'$.d'<>-1.5e3", "a <= b || c ->> '$.d' <> - 1.5e3"),
            ("status IN('a','b')", "status IN ( 'a' , 'b' )"),
            ("größe Null", "größe NULL"),
        ];
        for (sql, expected) in cases {
            assert_eq!(join(&tokens(sql)), expected, "{sql}");
        }
    }

    #[test]
    fn keywords_are_in_order() {
        assert!(KEYWORDS.is_sorted());
    }
}
