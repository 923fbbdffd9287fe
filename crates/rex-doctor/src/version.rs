//! Versions of the clients, and rules that hold for a range of them, as data.

use std::fmt;

/// A client's version: three numbers; what follows them (`-beta.1`, `+build`) sorts before the plain one and is kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClientVersion {
    numbers: [u32; 3],
    rest: String,
}

impl ClientVersion {
    /// The plain version `major.minor.patch`.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self {
            numbers: [major, minor, patch],
            rest: String::new(),
        }
    }

    /// Reads `2.1.332`, `v0.171.0` or `0.171.0-alpha.3`; missing numbers count as 0. None where no number comes first.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches('v');
        let end = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let (plain, rest) = text.split_at(end);
        let mut numbers = [0; 3];
        let mut parts = plain.split('.');
        for (at, number) in numbers.iter_mut().enumerate() {
            match parts.next() {
                Some(part) if !part.is_empty() => *number = part.parse().ok()?,
                Some(_) | None if at > 0 => break,
                Some(_) | None => return None,
            }
        }
        Some(Self {
            numbers,
            rest: rest.to_owned(),
        })
    }
}

impl fmt::Display for ClientVersion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(out, "{major}.{minor}.{patch}{}", self.rest)
    }
}

impl Ord for ClientVersion {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |v: &Self| (v.numbers, v.rest.is_empty() || v.rest.starts_with('+'));
        key(self)
            .cmp(&key(other))
            .then_with(|| self.rest.cmp(&other.rest))
    }
}

impl PartialOrd for ClientVersion {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Rules of one client, each with the version on which it was seen, in ascending order.
#[derive(Clone, Copy, Debug)]
pub struct Seen<T: 'static>(pub &'static [(ClientVersion, T)]);

impl<T> Seen<T> {
    /// Returns the rules seen at or below and at or above `version`. They are the same one on a seen version, before
    /// the first and after the last; where they differ, a forecast must hold under both or is unknown.
    pub fn around(&self, version: &ClientVersion) -> Option<(&'static T, &'static T)> {
        let below = self.0.iter().rev().find(|(seen, _)| seen <= version);
        let above = self.0.iter().find(|(seen, _)| seen >= version);
        let (_, low) = below.or(above)?;
        let (_, high) = above.or(below)?;
        Some((low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_ordered() {
        let sorted = ["0.9", "2.0.14", "2.1.197-beta.1", "2.1.197", "v2.1.223", "10"];
        let read: Vec<_> = sorted
            .iter()
            .map(|text| ClientVersion::parse(text).unwrap())
            .collect();
        assert!(read.is_sorted());
        for nothing in ["", "x", "-1", ".1"] {
            assert_eq!(ClientVersion::parse(nothing), None, "{nothing}");
        }
        assert_eq!(
            ClientVersion::parse("0.171.0-alpha.3").unwrap().to_string(),
            "0.171.0-alpha.3"
        );
    }

    #[test]
    fn a_version_between_two_seen_ones_gets_both_rules() {
        const RULES: Seen<char> = Seen(&[
            (ClientVersion::new(2, 0, 14), 'a'),
            (ClientVersion::new(2, 1, 197), 'b'),
        ]);
        for (version, expected) in [
            ("1.0.0", (&'a', &'a')),
            ("2.0.14", (&'a', &'a')),
            ("2.1.0", (&'a', &'b')),
            ("2.1.197", (&'b', &'b')),
            ("3.0.0", (&'b', &'b')),
        ] {
            assert_eq!(
                RULES.around(&ClientVersion::parse(version).unwrap()),
                Some(expected),
                "{version}"
            );
        }
    }
}
