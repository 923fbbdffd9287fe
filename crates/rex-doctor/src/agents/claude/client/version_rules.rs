//! The rules as data: what changed from one seen version to the next.

use super::super::graph::Generation;
use crate::version::{ClientVersion, Seen};

/// How keys of long paths are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Prefix {
    /// Keys are never cut.
    None,
    /// Every key that begins alike is taken.
    Unchecked,
    /// Only one in which a log was recorded in such a folder.
    Checked,
}

/// What the client does, as far as its generations differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a change of its own, with a first version of its own"
)]
pub(in super::super) struct Rules {
    pub(in super::super) generation: Generation,
    /// Keys longer than 200 characters are cut.
    pub(in super::super) limits_keys: bool,
    pub(in super::super) prefix: Prefix,
    /// The keys of the repository's other worktrees are looked at.
    pub(in super::super) worktrees: bool,
    /// All keys are looked at.
    pub(in super::super) scans: bool,
    /// `CLAUDE_CODE_PROJECT_DIR_NAME` names the key.
    pub(in super::super) names_keys: bool,
    /// An exact title is an argument.
    pub(in super::super) titles: bool,
}

const OLD: Rules = Rules {
    generation: Generation::Old,
    limits_keys: false,
    prefix: Prefix::None,
    worktrees: false,
    scans: false,
    names_keys: false,
    titles: false,
};

const MIDDLE: Rules = Rules {
    generation: Generation::Middle,
    limits_keys: true,
    prefix: Prefix::Unchecked,
    worktrees: true,
    scans: false,
    names_keys: false,
    titles: true,
};

const NEW: Rules = Rules {
    generation: Generation::New,
    limits_keys: true,
    prefix: Prefix::Checked,
    worktrees: true,
    scans: true,
    names_keys: true,
    titles: true,
};

/// The versions on which the rules were seen.
static SEEN: Seen<Rules> = Seen(&[
    (ClientVersion::new(2, 0, 14), OLD),
    (ClientVersion::new(2, 1, 197), MIDDLE),
    (ClientVersion::new(2, 1, 332), NEW),
]);

/// The newest version that was seen.
pub(in super::super) const NEWEST: ClientVersion = ClientVersion::new(2, 1, 332);

/// From here on all keys are looked at.
const SCANS_FROM: ClientVersion = ClientVersion::new(2, 1, 223);
const CHECKS_PREFIX_FROM: ClientVersion = ClientVersion::new(2, 1, 224);
const NAMES_KEYS_FROM: ClientVersion = ClientVersion::new(2, 1, 234);

/// The rules seen at or below and at or above a version. Changes whose first version is known count exactly.
pub(in super::super) fn rules(version: &ClientVersion) -> (Rules, Rules) {
    let (low, high) = SEEN
        .around(version)
        .map_or((NEW, NEW), |(low, high)| (*low, *high));
    let exact = |rules: Rules| Rules {
        scans: *version >= SCANS_FROM,
        names_keys: *version >= NAMES_KEYS_FROM,
        prefix: match rules.prefix {
            Prefix::None => Prefix::None,
            Prefix::Unchecked | Prefix::Checked if *version >= CHECKS_PREFIX_FROM => Prefix::Checked,
            Prefix::Unchecked | Prefix::Checked => Prefix::Unchecked,
        },
        ..rules
    };
    (exact(low), exact(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_with_a_known_first_version_count_exactly() {
        for (version, scans, low, high) in [
            ("2.0.14", false, Generation::Old, Generation::Old),
            ("2.1.10", false, Generation::Old, Generation::Middle),
            ("2.1.197", false, Generation::Middle, Generation::Middle),
            ("2.1.222", false, Generation::Middle, Generation::New),
            ("2.1.223", true, Generation::Middle, Generation::New),
            ("2.1.332", true, Generation::New, Generation::New),
            ("2.2.0", true, Generation::New, Generation::New),
        ] {
            let (below, above) = rules(&ClientVersion::parse(version).unwrap());
            assert_eq!((below.scans, above.scans), (scans, scans), "{version}");
            assert_eq!((below.generation, above.generation), (low, high), "{version}");
        }
    }
}
