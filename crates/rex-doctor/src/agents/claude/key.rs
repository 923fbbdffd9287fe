//! The name of the folder that the client keeps a working folder's sessions in (the *project key*).

use unicode_normalization::UnicodeNormalization;

/// The longest key without a digest, in characters.
pub(super) const LONGEST: usize = 200;

/// The text in Unicode's composed form.
pub(super) fn composed(text: &str) -> String {
    if text.is_ascii() {
        text.to_owned()
    } else {
        text.nfc().collect()
    }
}

/// Every UTF-16 code unit that is no ASCII letter or digit becomes a hyphen.
pub(super) fn plain(path: &str) -> String {
    path.encode_utf16()
        .map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
            Ok(_) | Err(_) => '-',
        })
        .collect()
}

/// The key of a path: long ones are cut and end with a digest of the whole path.
pub(super) fn of(path: &str) -> String {
    limited(plain(path), path.encode_utf16().map(i64::from))
}

/// The key as the Python SDK builds it: by code points, where the client counts UTF-16 code units.
pub(super) fn by_code_points(path: &str) -> String {
    let plain = path
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    limited(plain, path.chars().map(|c| i64::from(u32::from(c))))
}

fn limited(plain: String, units: impl Iterator<Item = i64>) -> String {
    match plain.get(..LONGEST) {
        Some(start) if plain.len() > LONGEST => format!("{start}-{}", digest(units)),
        Some(_) | None => plain,
    }
}

fn digest(units: impl Iterator<Item = i64>) -> String {
    let sum = units.fold(0_i32, |sum, unit| {
        sum.wrapping_shl(5).wrapping_sub(sum).wrapping_add(unit as i32)
    });
    let mut number = sum.unsigned_abs();
    let mut digits = vec![];
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

/// True for a text in the form of a UUID, in either letter case.
pub(super) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_count_utf16_code_units() {
        for (path, client, sdk) in [
            ("/tmp/a.b_c", "-tmp-a-b-c", "-tmp-a-b-c"),
            ("/é", "--", "--"),
            ("/😀x", "---x", "--x"),
        ] {
            assert_eq!(of(path), client, "{path}");
            assert_eq!(by_code_points(path), sdk, "{path}");
        }
    }

    #[test]
    fn long_keys_end_with_a_digest_of_the_whole_path() {
        let path = format!("/{}", "a".repeat(250));
        let key = of(&path);
        assert_eq!(key.get(..LONGEST), Some(plain(&path).get(..LONGEST).unwrap()));
        assert_eq!(key.as_bytes().get(LONGEST), Some(&b'-'));
        assert_eq!(of(&format!("/{}", "a".repeat(199))).len(), LONGEST);
        assert_eq!(digest(std::iter::empty()), "0");
    }

    #[test]
    fn composed_and_decomposed_names_are_one() {
        assert_eq!(composed("cafe\u{301}"), "caf\u{e9}");
    }
}
