//! Follows a fork by reference to the rollouts that hold its earlier turns. Judges nothing.

use std::path::PathBuf;

use super::log::{self, Files, Rollout, Segment};
use super::meta::{Head, HistoryBase, HistoryMode, Meta};
use crate::evidence::{Says, Why};
use crate::place::Place;

/// How many rollouts a lineage may have.
const LONGEST: usize = 128;

/// Where a lineage ends before its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// The rollout of that thread is nowhere.
    Missing(String),
    /// It leads back into itself.
    Cycle,
    /// It has more rollouts than the client follows.
    TooLong,
    /// The client does not take it; the text is its own.
    Invalid(&'static str),
    /// The beginning of that rollout does not read.
    Head(PathBuf, Head),
    /// That rollout cannot be read.
    Unreadable(PathBuf, Why),
    /// That rollout ends before the place where the fork goes on.
    Cut(PathBuf),
}

/// The rollouts that a session's context is read from, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lineage {
    /// The parts, each up to where the next goes on.
    pub(super) segments: Vec<Segment>,
    /// Why the oldest part that is here is not the beginning.
    pub(super) broken: Option<Broken>,
}

/// Follows the lineage of a rollout that was read.
pub(super) fn of(place: &Place, files: &Files, rollout: &Rollout) -> Lineage {
    let own = Segment {
        path: rollout.path.clone(),
        end_byte_offset: None,
    };
    let mut lineage = Lineage {
        segments: vec![own],
        broken: None,
    };
    let Some(meta) = rollout.meta() else {
        return lineage;
    };
    let mut seen = vec![meta.id.clone()];
    let mut next = meta.history_base.clone();
    while let Some(base) = next {
        match step(place, files, &base, &seen) {
            Ok((segment, parent)) => {
                seen.push(base.thread_id);
                lineage.segments.push(segment);
                next = parent.history_base;
            }
            Err(broken) => {
                lineage.broken = Some(broken);
                break;
            }
        }
    }
    lineage.segments.reverse();
    lineage
}

fn step(
    place: &Place,
    files: &Files,
    base: &HistoryBase,
    seen: &[String],
) -> Result<(Segment, Meta), Broken> {
    if seen.len() >= LONGEST {
        return Err(Broken::TooLong);
    }
    if seen.contains(&base.thread_id) {
        return Err(Broken::Cycle);
    }
    let missing = || Broken::Missing(base.thread_id.clone());
    let file = files.by_name(&base.thread_id).ok_or_else(missing)?;
    let parent = match log::read(place, &file.path) {
        Says::Read(parent) => parent,
        Says::Absent => return Err(missing()),
        Says::Unreadable(why) => return Err(Broken::Unreadable(file.path.clone(), why)),
    };
    let meta = match &parent.head {
        Head::Meta(meta) => (**meta).clone(),
        other => return Err(Broken::Head(file.path.clone(), other.clone())),
    };
    let fault = match () {
        () if meta.id != base.thread_id => Some("source rollout belongs to another thread"),
        () if meta.history_mode != HistoryMode::Paginated => Some("source rollout is not paginated"),
        () if base.end_ordinal_exclusive == 0 => Some("cutoff cannot include source session metadata"),
        () => None,
    };
    if let Some(fault) = fault {
        return Err(Broken::Invalid(fault));
    }
    // How long a packed file is unpacked is not known here.
    if !file.is_compressed && base.end_byte_offset > parent.bytes {
        return Err(Broken::Cut(file.path.clone()));
    }
    Ok((
        Segment {
            path: file.path.clone(),
            end_byte_offset: Some(base.end_byte_offset),
        },
        meta,
    ))
}
