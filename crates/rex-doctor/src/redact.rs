//! Takes credentials out of what is printed. Paths and ids stay.

use std::borrow::Cow;

/// Beginnings of well-known tokens. What follows one of them, as far as it can belong to a token, is left out.
const BEGINNINGS: &[&str] = &[
    "sk-ant-",
    "sk-",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "eyJ",
    "hf_",
    "npm_",
    "pypi-",
    "xai-",
    "gsk_",
    "Bearer ",
    "Basic ",
];

/// The shortest run of token characters after a beginning that counts as a credential.
const SHORTEST_BYTES: usize = 12;

/// Returns `text` with every credential replaced by its beginning and `[redacted]`, also the password in a URL.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut clean = String::new();
    let mut kept_to = 0;
    let mut in_word = false;
    let mut at = 0;
    while let Some((c, rest)) = text.get(at..).and_then(|rest| Some((rest.chars().next()?, rest))) {
        if let Some((keep, end)) = secret(rest, in_word) {
            clean.push_str(text.get(kept_to..at + keep).unwrap_or_default());
            clean.push_str("[redacted]");
            at += end;
            kept_to = at;
            in_word = false;
        } else {
            in_word = c.is_ascii_alphanumeric();
            at += c.len_utf8();
        }
    }
    if kept_to == 0 {
        return Cow::Borrowed(text);
    }
    clean.push_str(text.get(kept_to..).unwrap_or_default());
    Cow::Owned(clean)
}

/// Where a credential begins at the start of `rest`: how many bytes of it are kept and where it ends.
fn secret(rest: &str, in_word: bool) -> Option<(usize, usize)> {
    if let Some(after) = rest.strip_prefix("://") {
        let authority = after.split(['/', ' ', '"', '\'']).next()?;
        let (user, _) = authority.rsplit_once('@')?;
        let (name, _) = user.split_once(':')?;
        return Some((3 + name.len() + 1, 3 + user.len()));
    }
    if in_word {
        return None;
    }
    let begin = BEGINNINGS.iter().find(|begin| rest.starts_with(**begin))?;
    let token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '/' | '=');
    let after = rest.get(begin.len()..)?;
    let length = after.find(|c| !token(c)).unwrap_or(after.len());
    (length >= SHORTEST_BYTES).then_some((begin.len(), begin.len() + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_go_and_all_else_stays() {
        for (text, expected) in [
            (
                "plain text über /home/u/.claude",
                "plain text über /home/u/.claude",
            ),
            ("key sk-ant-0123456789abcdef end", "key sk-ant-[redacted] end"),
            (
                "a ghp_0123456789abcdef, b sk-0123456789abcdef",
                "a ghp_[redacted], b sk-[redacted]",
            ),
            ("risk-ant-0123456789abcdef", "risk-ant-0123456789abcdef"),
            ("sk-short", "sk-short"),
            (
                "Authorization: Bearer abcdefghijklmnop",
                "Authorization: Bearer [redacted]",
            ),
            ("postgres://me:secret@host/db", "postgres://me:[redacted]@host/db"),
            ("https://host/a@b", "https://host/a@b"),
        ] {
            assert_eq!(redact(text), expected);
        }
    }
}
