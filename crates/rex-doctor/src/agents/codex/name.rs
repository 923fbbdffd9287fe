//! Names of rollout files and spellings of thread ids.

use std::ffi::OsStr;

use uuid::Uuid;

/// What the name of a rollout file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RolloutName {
    /// The thread's id, lower case, with dashes.
    pub(super) id: String,
    /// True for a `.jsonl.zst`.
    pub(super) is_compressed: bool,
}

/// Reads `rollout-YYYY-MM-DDThh-mm-ss-<uuid>.jsonl[.zst]`. None for every other name: the client does not see such files.
pub(super) fn rollout_name(name: &OsStr) -> Option<RolloutName> {
    let name = name.to_str()?;
    let (name, is_compressed) = match name.strip_suffix(".zst") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let core = name.strip_prefix("rollout-")?.strip_suffix(".jsonl")?;
    let (stamp, id) = core.split_at_checked(19)?;
    let id = Uuid::try_parse(id.strip_prefix('-')?).ok()?;
    let is_time = stamp
        .bytes()
        .zip(b"0000-00-00T00-00-00")
        .all(|(byte, like)| match like {
            b'0' => byte.is_ascii_digit(),
            like => byte == *like,
        });
    is_time.then(|| RolloutName {
        id: id.to_string(),
        is_compressed,
    })
}

/// Reads a thread id in every spelling that the client takes: any case, with or without dashes, in braces, as a URN.
///
/// # Errors
/// The client's own words about what is wrong with it.
pub(super) fn thread_id(text: &str) -> Result<String, String> {
    match Uuid::try_parse(text) {
        // The client's own release of the library takes only this spelling of the prefix.
        Ok(id)
            if !text.starts_with(|first: char| first.eq_ignore_ascii_case(&'u'))
                || text.starts_with("urn:uuid:") =>
        {
            Ok(id.to_string())
        }
        Ok(_) | Err(_) => Err(spelling_error(text)),
    }
}

/// What the client says about a text that is no thread id. The wording is that of the library release in it.
fn spelling_error(text: &str) -> String {
    let unwrapped = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let (body, offset) = match (unwrapped, text.strip_prefix("urn:uuid:")) {
        (Some(body), _) => (body, 1),
        (None, Some(body)) => (body, 9),
        (None, None) => (text, 0),
    };
    let mut groups: Vec<usize> = vec![0];
    for (at, character) in body.char_indices() {
        if character == '-' {
            groups.push(0);
        } else if character.is_ascii_hexdigit() {
            if let Some(group) = groups.last_mut() {
                *group += 1;
            }
        } else {
            let at = at + offset + 1;
            return format!(
                "invalid character: expected an optional prefix of `urn:uuid:` followed by [0-9a-fA-F-], found `{character}` at {at}"
            );
        }
    }
    match groups.as_slice() {
        [only] => format!("invalid length: expected length 32 for simple format, found {only}"),
        [_, _, _, _, _] => {
            let wrong = groups
                .iter()
                .zip([8, 4, 4, 4, 12])
                .enumerate()
                .find(|(_, (has, wants))| *has != wants);
            let (at, (has, wants)) = wrong.unwrap_or((0, (&0, 0)));
            format!("invalid group length in group {at}: expected {wants}, found {has}")
        }
        _ => format!("invalid group count: expected 5, found {}", groups.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "01a22c09-6eb9-73e1-86db-ba552739e67c";

    #[test]
    fn only_the_clients_own_names_are_seen() {
        let name = |text: &str| rollout_name(OsStr::new(text));
        let of = |is_compressed| {
            Some(RolloutName {
                id: ID.to_owned(),
                is_compressed,
            })
        };
        assert_eq!(
            name(&format!("rollout-2026-11-30T10-39-05-{ID}.jsonl")),
            of(false)
        );
        assert_eq!(
            name(&format!("rollout-2026-11-30T10-39-05-{ID}.jsonl.zst")),
            of(true)
        );
        for other in [
            "my-session.jsonl".to_owned(),
            format!("{ID}.jsonl"),
            format!("rollout-2026-11-30-{ID}.jsonl"),
            format!("rollout-2026-11-30T10-39-05-{ID}.json"),
            format!("rollout-2026-11-30T10-39-05-{ID}.jsonl.bak"),
            "rollout-2026-11-30T10-39-05-01a22c09.jsonl".to_owned(),
        ] {
            assert_eq!(name(&other), None, "{other}");
        }
    }

    #[test]
    fn ids_are_taken_in_every_spelling_and_refused_in_the_clients_words() {
        for spelling in [
            ID.to_owned(),
            ID.to_uppercase(),
            ID.replace('-', ""),
            format!("{{{ID}}}"),
            format!("urn:uuid:{ID}"),
        ] {
            assert_eq!(thread_id(&spelling), Ok(ID.to_owned()), "{spelling}");
        }
        let prefix = "expected an optional prefix of `urn:uuid:` followed by [0-9a-fA-F-], found";
        for (text, expected) in [
            ("my-lost-session", format!("invalid character: {prefix} `m` at 1")),
            (
                &*format!("{ID} "),
                format!("invalid character: {prefix} ` ` at 37"),
            ),
            (
                &*format!("URN:UUID:{ID}"),
                format!("invalid character: {prefix} `U` at 1"),
            ),
            (
                "01a22c09-6eb9",
                "invalid group count: expected 5, found 2".to_owned(),
            ),
            (
                "01a22c09-6eb9-73e1-86db-ba552739e67",
                "invalid group length in group 4: expected 12, found 11".to_owned(),
            ),
        ] {
            assert_eq!(thread_id(text), Err(expected), "{text}");
        }
    }
}
