//! What retention could reclaim at 90, it reclaims at 91: no more and no less.

use std::collections::BTreeSet;
use std::time::Duration;

use rex_store::daemon::prune;
use rusqlite::Connection;
use rusqlite::backup::Backup;

use super::super::Verdict;
use super::super::rows::{all, ensure, number, numbers, text};

pub(super) fn check(old: &Connection, new: &Connection) -> Verdict {
    let before = "SELECT turn, bot FROM retained_turns ORDER BY 1";
    let behind = "SELECT message, bot FROM retained_messages ORDER BY 1";
    ensure(all(old, before)? == all(new, behind)?, || {
        "retention rows differ".to_owned()
    })?;
    for keep in [1, 4] {
        let mut pruned = Connection::open_in_memory().map_err(|error| error.to_string())?;
        Backup::new(new, &mut pruned)
            .and_then(|backup| backup.run_to_completion(1_000_000, Duration::ZERO, None))
            .map_err(|error| error.to_string())?;
        prune_all(old, &pruned, keep).map_err(|why| format!("prune with keep {keep}: {why}"))?;
    }
    Ok(())
}

fn prune_all(old: &Connection, new: &Connection, keep: usize) -> Verdict {
    let mut gone = BTreeSet::new();
    for row in all(old, "SELECT name FROM bots")? {
        let bot = text(&row[0]).ok_or("a bot without a name")?;
        gone.extend(reclaimable(old, bot, keep)?);
        while prune(new, bot, keep as u32)
            .map_err(|error| error.to_string())?
            .more
        {}
    }
    let busy = numbers(old, "SELECT turn FROM processes WHERE status = 'running'")?;
    let mut kept = numbers(old, "SELECT turn FROM retained_turns")?;
    kept.retain(|turn| !gone.contains(turn) || busy.contains(turn));
    let left = numbers(new, "SELECT message FROM retained_messages")?;
    ensure(left == kept, || format!("retains {left:?} instead of {kept:?}"))?;
    let mut events = all(old, "SELECT id, turn FROM events ORDER BY id")?;
    events.retain(|row| number(&row[1]).is_none_or(|turn| !gone.contains(&turn)));
    let expected: BTreeSet<i64> = events.iter().filter_map(|row| number(&row[0])).collect();
    let left = numbers(new, "SELECT id FROM events")?;
    let differ: Vec<&i64> = left.symmetric_difference(&expected).collect();
    ensure(differ.is_empty(), || format!("events {differ:?} went or stayed"))
}

/// Whose records 90 would take of a bot (the row stays while a process runs): below the keep-th newest finished submission and below any unfinished work.
fn reclaimable(old: &Connection, bot: &str, keep: usize) -> Result<BTreeSet<i64>, String> {
    let of = |statuses: &str| {
        let bot = bot.replace('\'', "''");
        numbers(
            old,
            &format!("SELECT id FROM turns WHERE bot = '{bot}' AND status {statuses}"),
        )
    };
    let finished = of("IN ('steered','completed','failed','interrupted')")?;
    let unfinished = of("NOT IN ('steered','completed','failed','interrupted')")?;
    let Some(newest) = finished.iter().rev().nth(keep - 1) else {
        return Ok(BTreeSet::new());
    };
    let below = unfinished.first().map_or(*newest, |first| *first.min(newest));
    let retained = numbers(old, "SELECT turn FROM retained_turns")?;
    let all: BTreeSet<i64> = finished.union(&unfinished).copied().collect();
    Ok(retained
        .into_iter()
        .filter(|turn| *turn < below && all.contains(turn))
        .collect())
}
