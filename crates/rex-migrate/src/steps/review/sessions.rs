//! Generation 11: the one session of a comment becomes a row per agent and gateway. The old column stays.

use super::{Doing as _, Guarded, Tally, exists, outcome, step, triggers};
use crate::step::{Outcome, StepError, Work};

const ID: &str = "review.sessions";

pub(super) const STEP: Guarded = Guarded {
    step: step(
        ID,
        (10, 11),
        "the session of a comment becomes a row of its own",
        apply,
    ),
    is_needed: |seen| {
        let sql = without_row(seen.shape.has_table("thread_session"));
        exists(seen.connection, ID, &sql)
    },
};

/// Comments with an old session and without its row. The application makes the row at every opening, so a row that
/// somebody deleted comes back: what it would do anyway is done here.
pub(super) fn without_row(has_sessions: bool) -> String {
    let and = if has_sessions {
        "AND NOT EXISTS (SELECT 1 FROM thread_session WHERE thread_id = t.id AND sdk = 'claude-agent'
            AND gateway_id = 'rex-original')"
    } else {
        ""
    };
    format!("SELECT id FROM thread t WHERE session_id IS NOT NULL {and}")
}

fn apply(work: &Work<'_>) -> Result<Outcome, StepError> {
    let connection = work.connection;
    let ids = without_row(true);
    let moved = Tally::of(connection, ID, &format!("{ids} ORDER BY rowid"))?;
    triggers::asleep(connection, ID, || {
        connection
            .execute(
                &format!(
                    "INSERT INTO thread_session(thread_id, sdk, gateway_id, base_url, session_id, created_at)
                     SELECT id, 'claude-agent', 'rex-original', NULL, session_id, ?1 FROM thread
                     WHERE id IN ({ids}) ORDER BY rowid"
                ),
                [format!("{:.3}", work.now)],
            )
            .doing(ID, "move the sessions")
    })?;
    Ok(outcome("sessions", vec![("moved", moved)]))
}
