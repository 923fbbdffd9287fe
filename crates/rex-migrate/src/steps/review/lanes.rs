//! Generation 10: drafts and notes become statuses of their own.

use super::definition::{self, Check};
use super::{Doing as _, Guarded, Seen, Tally, exists, outcome, step, triggers};
use crate::step::{Outcome, Refusal, StepError, Work};

const ID: &str = "review.lanes";

pub(super) const STEP: Guarded = Guarded {
    step: step(
        ID,
        (9, 10),
        "drafts and notes become statuses of their own",
        apply,
    ),
    is_needed: |seen| Ok(!STATUSES.holds(seen.connection)? || notes_to_move(seen)?),
};

pub(super) const STATUSES: Check = Check {
    table: "thread",
    column: "status",
    marks: &["status", "'open'"],
    allowed: &["draft", "note", "open", "resolved"],
    refused: &[],
    probe: "INSERT INTO thread(id, document_id, kind, status, note, created_at, updated_at)
        VALUES ('probe', '', 'anchored', ?1, '', '', '')",
};

/// Notes that are still stored as open. Up to generation 9 the flag alone says it. Since then a note that was sent is
/// open and keeps its flag, so that the flag counts only where no agent has answered.
pub(super) fn open_notes(is_before_10: bool) -> String {
    let unanswered = if is_before_10 {
        ""
    } else {
        "AND NOT EXISTS (SELECT 1 FROM message WHERE thread_id = t.id AND role = 'assistant')"
    };
    format!("SELECT id FROM thread t WHERE is_note = 1 AND status = 'open' {unanswered}")
}

/// Whether the store was never opened by a build of generation 10 or later.
pub(super) fn is_before_10(seen: &Seen<'_>) -> bool {
    !seen.shape.has("message.denied") && !seen.shape.has("thread.style")
}

/// With its CHECK as it should be, only a store from before generation 10 has notes to move: one without any CHECK.
pub(super) fn notes_to_move(seen: &Seen<'_>) -> Result<bool, StepError> {
    if !seen.shape.has("thread.is_note") {
        return Ok(false);
    }
    let is_due = is_before_10(seen) || !STATUSES.holds(seen.connection)?;
    Ok(is_due && exists(seen.connection, ID, &open_notes(is_before_10(seen)))?)
}

/// A status that no build knows would stand outside the new rule.
pub(super) fn refuse(seen: &Seen<'_>) -> Result<Vec<Refusal>, StepError> {
    let odd = Tally::of(
        seen.connection,
        ID,
        "SELECT id || ' (' || status || ')' FROM thread
            WHERE status NOT IN ('draft', 'note', 'open', 'resolved') ORDER BY rowid",
    )?;
    if odd.count == 0 {
        return Ok(Vec::new());
    }
    Ok(vec![Refusal {
        cause: format!(
            "{} comments have an unknown status: {}",
            odd.count,
            odd.first.join(", ")
        ),
        hint: "set their status to draft, note, open or resolved with the sqlite3 shell".to_owned(),
    }])
}

fn apply(work: &Work<'_>) -> Result<Outcome, StepError> {
    let connection = work.connection;
    let seen = Seen::of(connection)?;
    let notes = notes_to_move(&seen)?.then(|| open_notes(is_before_10(&seen)));
    if !STATUSES.holds(connection)? {
        definition::replace(connection, ID, &STATUSES)?;
    }
    let Some(notes) = notes else {
        return Ok(Outcome::default());
    };
    let moved = Tally::of(connection, ID, &format!("{notes} ORDER BY rowid"))?;
    triggers::asleep(connection, ID, || {
        connection
            .execute_batch(&format!(
                "UPDATE thread SET status = 'note' WHERE id IN ({notes})"
            ))
            .doing(ID, "move the notes")
    })?;
    Ok(outcome("lanes", vec![("notes_moved", moved)]))
}
