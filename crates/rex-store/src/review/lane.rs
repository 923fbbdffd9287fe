//! In which lane a comment is shown. "Gone" is derived and never stored.

use crate::daemon::words;

words! {
    /// The status that is stored since generation 10.
    Status {
        /// Not sent yet.
        Draft = "draft",
        /// For the person alone.
        Note = "note",
        /// Sent; waits for an answer or for the person.
        Open = "open",
        /// Done.
        Resolved = "resolved",
    }
}

words! {
    /// What was found of a place.
    AnchorState {
        /// The place is there.
        Ok = "ok",
        /// It is there, and its words or its neighbours changed.
        Moved = "moved",
        /// It is nowhere.
        Orphaned = "orphaned",
    }
}

/// Where a comment is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lane {
    /// Not sent yet.
    Draft,
    /// For the person alone.
    Note,
    /// Sent.
    Open,
    /// None of its places is there any more.
    Gone,
    /// Done, wherever its places are.
    Resolved,
}

impl Lane {
    /// The lane's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Note => "note",
            Self::Open => "open",
            Self::Gone => "gone",
            Self::Resolved => "resolved",
        }
    }
}

/// Derives the lane. `is_note` is the flag of generations 7 to 9, `None` since 10, where the status says it; `places`
/// are the states of all places, `None` where nobody has looked. Resolved is final; gone needs at least one place that was
/// looked for, and every such place orphaned.
pub fn lane(status: Status, is_note: Option<bool>, places: &[Option<AnchorState>]) -> Lane {
    let mut known = places.iter().flatten().peekable();
    let is_gone = known.peek().is_some() && known.all(|state| *state == AnchorState::Orphaned);
    match status {
        Status::Resolved => Lane::Resolved,
        _ if is_gone => Lane::Gone,
        Status::Draft => Lane::Draft,
        Status::Note => Lane::Note,
        Status::Open if is_note == Some(true) => Lane::Note,
        Status::Open => Lane::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::{AnchorState, Lane, Status, lane};

    type Case<'a> = (Status, Option<bool>, &'a [Option<AnchorState>], Lane);

    #[test]
    fn gone_needs_every_known_place_orphaned_and_resolved_is_final() {
        let (ok, moved, gone, unseen) = (
            Some(AnchorState::Ok),
            Some(AnchorState::Moved),
            Some(AnchorState::Orphaned),
            None,
        );
        let cases: [Case<'_>; 11] = [
            (Status::Open, None, &[], Lane::Open),
            (Status::Open, None, &[unseen, unseen], Lane::Open),
            (Status::Open, None, &[gone], Lane::Gone),
            (Status::Open, None, &[gone, unseen], Lane::Gone),
            (Status::Open, None, &[gone, moved], Lane::Open),
            (Status::Open, None, &[gone, ok], Lane::Open),
            (Status::Resolved, None, &[gone], Lane::Resolved),
            (Status::Draft, None, &[gone], Lane::Gone),
            (Status::Note, None, &[ok], Lane::Note),
            (Status::Open, Some(true), &[ok], Lane::Note),
            (Status::Resolved, Some(true), &[ok], Lane::Resolved),
        ];
        for (status, is_note, places, expected) in cases {
            assert_eq!(lane(status, is_note, places), expected, "{status:?} {places:?}");
        }
    }
}
