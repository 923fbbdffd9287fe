//! Which version of a document a comment is about. It is derived from where its place is found, and never stored.

use super::lane::AnchorState;

/// A version of a document that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// The file as it was.
    Original,
    /// The change that is proposed.
    Changed,
}

/// What a comment is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The document: its place is in both versions.
    Document,
    /// What the change took away.
    Removed,
    /// What the change brought in.
    Added,
    /// Nothing that is there.
    Orphaned,
}

/// Says what a comment is about from the panes in which its place is found.
pub fn about(found: &[Pane]) -> About {
    match (found.contains(&Pane::Original), found.contains(&Pane::Changed)) {
        (true, true) => About::Document,
        (true, false) => About::Removed,
        (false, true) => About::Added,
        (false, false) => About::Orphaned,
    }
}

/// What is stored of one place: the best of the panes, where somebody has looked.
pub fn best_state(panes: &[Option<AnchorState>]) -> Option<AnchorState> {
    panes.iter().flatten().copied().min_by_key(|state| rank(*state))
}

/// What is shown of a comment: the worst of its places, where somebody has looked.
pub fn worst_state(places: &[Option<AnchorState>]) -> Option<AnchorState> {
    places.iter().flatten().copied().max_by_key(|state| rank(*state))
}

fn rank(state: AnchorState) -> u8 {
    match state {
        AnchorState::Ok => 0,
        AnchorState::Moved => 1,
        AnchorState::Orphaned => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_about_the_version_that_holds_its_place() {
        for (found, expected) in [
            (&[Pane::Original, Pane::Changed][..], About::Document),
            (&[Pane::Original], About::Removed),
            (&[Pane::Changed], About::Added),
            (&[], About::Orphaned),
        ] {
            assert_eq!(about(found), expected);
        }
    }

    #[test]
    fn a_place_is_as_good_as_its_best_pane_and_a_comment_as_bad_as_its_worst_place() {
        let states = [Some(AnchorState::Orphaned), None, Some(AnchorState::Moved)];
        assert_eq!(best_state(&states), Some(AnchorState::Moved));
        assert_eq!(worst_state(&states), Some(AnchorState::Orphaned));
        assert_eq!(best_state(&[None]), None);
        assert_eq!(worst_state(&[]), None);
    }
}
