//! Lines that are not one whole value: what can still be told from their bytes.

use std::borrow::Cow;

use memchr::memmem;
use rex_store::jsonl::Fault;

use super::row::{Id, digest};

/// A line that is no JSON value, or more than one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Torn {
    pub(super) offset_bytes: u64,
    pub(super) bytes: u64,
    pub(super) fault: Fault,
    /// How many whole values it begins with.
    pub(super) values: u32,
    /// What the part that is lost was, as far as its bytes tell.
    pub(super) lost: Lost,
    /// The parent that it names.
    pub(super) parent: Id,
    /// True where the file ends with it.
    pub(super) is_last: bool,
}

/// What a lost part was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lost {
    /// Nothing of the conversation.
    Nothing,
    /// A prompt of the person.
    Prompt,
    /// A row of a reply; zero where its id does not read.
    Reply(u64),
    /// A row of the conversation, and it does not say of which kind.
    Unsaid,
}

impl Torn {
    pub(super) fn of(
        offset_bytes: u64,
        bytes: u64,
        fault: Fault,
        values: u32,
        rest: &[u8],
        is_last: bool,
    ) -> Self {
        Self {
            offset_bytes,
            bytes,
            fault,
            values,
            lost: lost(rest),
            parent: parent(rest),
            is_last,
        }
    }

    /// A line that was too long to be held.
    pub(super) fn unseen(offset_bytes: u64, bytes: u64, fault: Fault) -> Self {
        Self {
            offset_bytes,
            bytes,
            fault,
            values: 0,
            lost: Lost::Unsaid,
            parent: Id::NONE,
            is_last: false,
        }
    }
}

fn holds(text: &[u8], part: &str) -> bool {
    memmem::find(text, part.as_bytes()).is_some()
}

/// True where the bytes that the client itself looks for stand in the line.
pub(super) fn names_talk(text: &[u8]) -> bool {
    holds(text, "\"type\":\"user\"") || holds(text, "\"type\":\"assistant\"")
}

/// True where the line names a parent.
pub(super) fn names_parent(text: &[u8]) -> bool {
    holds(text, "\"parentUuid\":")
}

/// How a row of the conversation begins; no other line begins like that.
const START: &[u8] = b"{\"parentUuid\":";

/// What was lost with these bytes, which may be the ends of several rows.
fn lost(rest: &[u8]) -> Lost {
    let starts = memmem::find_iter(rest, START).filter(|at| *at > 0);
    let mut from = 0;
    let mut found = Lost::Nothing;
    for at in starts.chain([rest.len()]) {
        if found == Lost::Nothing {
            found = lost_part(rest.get(from..at).unwrap_or_default());
        }
        from = at;
    }
    found
}

fn lost_part(rest: &[u8]) -> Lost {
    let is_user = holds(rest, "\"type\":\"user\"") || holds(rest, "\"role\":\"user\"");
    let is_assistant = holds(rest, "\"type\":\"assistant\"") || holds(rest, "\"role\":\"assistant\"");
    if holds(rest, "\"isSidechain\":true") {
        Lost::Nothing
    } else if is_assistant || holds(rest, "\"stop_reason\"") || holds(rest, "\"requestId\"") {
        Lost::Reply(reply_id(rest).map_or(0, digest))
    } else if is_user {
        let is_harness = ["\"isMeta\":true", "\"tool_use_id\"", "\"isCompactSummary\":true"];
        if is_harness.iter().any(|part| holds(rest, part)) {
            Lost::Nothing
        } else {
            Lost::Prompt
        }
    } else if holds(rest, "\0") && holds(rest, "\"uuid\":\"") && !holds(rest, "\"rendered\":") {
        // Zeros cover its beginning.
        Lost::Unsaid
    } else if begins_row(rest)
        && !holds(rest, "\"attachment\":{")
        && !holds(rest, "\"type\":\"attachment\"")
        && !holds(rest, "\"type\":\"system\"")
    {
        Lost::Unsaid
    } else {
        Lost::Nothing
    }
}

fn begins_row(rest: &[u8]) -> bool {
    let is_cut_start = rest.len() >= 3 && START.starts_with(rest);
    is_cut_start || names_parent(rest)
}

/// The parent that a torn row names.
fn parent(rest: &[u8]) -> Id {
    let named = rest.strip_prefix(START).and_then(|rest| rest.strip_prefix(b"\""));
    let text = named.and_then(|rest| rest.get(..36));
    text.and_then(|text| std::str::from_utf8(text).ok())
        .map_or(Id::NONE, Id::of)
}

fn reply_id(rest: &[u8]) -> Option<&str> {
    let start = memmem::find(rest, b"\"id\":\"msg_")? + 6;
    let id = rest.get(start..)?;
    let end = memchr::memchr(b'"', id)?;
    std::str::from_utf8(id.get(..end)?).ok()
}

/// The line with what JavaScript reads and a strict reader does not taken out: halves of surrogate pairs, and bytes
/// that are not UTF-8.
pub(super) fn mended(text: &[u8]) -> Cow<'_, [u8]> {
    let mut text = match String::from_utf8_lossy(text) {
        Cow::Borrowed(whole) => Cow::Borrowed(whole.as_bytes()),
        Cow::Owned(mended) => Cow::Owned(mended.into_bytes()),
    };
    let lower = |byte: Option<&u8>| byte.map(u8::to_ascii_lowercase);
    let halves: Vec<usize> = memmem::find_iter(&text, b"\\u")
        .filter(|at| {
            lower(text.get(at + 2)) == Some(b'd')
                && matches!(lower(text.get(at + 3)), Some(b'8'..=b'9' | b'a'..=b'f'))
        })
        .collect();
    let mut skip = None;
    for (index, at) in halves.iter().enumerate() {
        if skip == Some(*at) {
            continue;
        }
        let is_high = matches!(lower(text.get(at + 3)), Some(b'8'..=b'9' | b'a' | b'b'));
        let next = halves.get(index + 1).copied().filter(|next| *next == at + 6);
        let has_low = next.is_some_and(|next| matches!(lower(text.get(next + 3)), Some(b'c'..=b'f')));
        if is_high && has_low {
            skip = next;
        } else if let Some(digits) = text.to_mut().get_mut(at + 2..at + 6) {
            digits.copy_from_slice(b"fffd");
        }
    }
    text
}

/// A digest of a line, to tell a copy from another row with the same uuid.
pub(super) fn line_digest(text: &[u8]) -> u32 {
    let mut state = text.len() as u64;
    for chunk in text.chunks(8) {
        let mut word = [0; 8];
        for (to, from) in word.iter_mut().zip(chunk) {
            *to = *from;
        }
        state = (state.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    (state >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_lost_is_told_from_the_bytes() {
        for (text, expected) in [
            (
                r#"{"parentUuid":null,"isSidechain":false,"type":"user","mess"#,
                Lost::Prompt,
            ),
            (
                r#"{"parentUuid":"x","type":"user","isMeta":true,"mess"#,
                Lost::Nothing,
            ),
            (
                r#"{"type":"assistant","message":{"id":"msg_1","#,
                Lost::Reply(digest("msg_1")),
            ),
            (r#"{"parentUuid":"x","isSid"#, Lost::Unsaid),
            (r#"{"par"#, Lost::Unsaid),
            (r#"{"pa{"parentUuid":"x","type":"attachment"}"#, Lost::Unsaid),
            (
                r#"{"parentUuid":"x","type":"us{"parentUuid":"y","type":"attachment"}"#,
                Lost::Unsaid,
            ),
            (r#"{"type":"queue-operation","oper"#, Lost::Nothing),
            (
                r#"{"parentUuid":"x","isSidechain":true,"type":"user","#,
                Lost::Nothing,
            ),
        ] {
            assert_eq!(lost(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn halves_of_surrogate_pairs_are_mended_and_pairs_kept() {
        assert_eq!(
            &*mended(br#""\ud83d x \ud83d\ude00""#),
            br#""\ufffd x \ud83d\ude00""#
        );
        assert_eq!(&*mended(b"a\xffb"), "a\u{fffd}b".as_bytes());
    }
}
