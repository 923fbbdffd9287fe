//! Generation 11: each message says which agent answered through which gateway. Before, there was one of each.

use super::{Doing as _, Guarded, outcome, step, triggers};
use crate::step::{Outcome, StepError, Work};

const ID: &str = "review.route";

pub(super) const STEP: Guarded = Guarded {
    step: step(
        ID,
        (10, 11),
        "messages name the agent and the gateway that there were",
        apply,
    ),
    is_needed: |seen| Ok(!seen.shape.has("message.sdk")),
};

/// Whether an agent has seen a message: not one that is marked as a note, and none of a comment that was a note in the
/// days before messages were marked and that no agent ever answered. With `mode` or `is_note` missing there were no notes.
pub(super) fn is_seen(has_mode: bool, has_is_note: bool) -> String {
    let unmarked = if has_mode {
        "message.mode IS NOT 'note'"
    } else {
        "1"
    };
    let of_a_note = if has_is_note {
        let mode = if has_mode { "message.mode IS NULL AND" } else { "" };
        format!(
            "AND NOT ({mode} message.thread_id IN (SELECT id FROM thread t WHERE is_note = 1
                AND NOT EXISTS (SELECT 1 FROM message a WHERE a.thread_id = t.id AND a.role = 'assistant')))"
        )
    } else {
        String::new()
    };
    format!("({unmarked} {of_a_note})")
}

fn apply(work: &Work<'_>) -> Result<Outcome, StepError> {
    let doing = "name the agent of the messages";
    let connection = work.connection;
    for column in ["sdk", "gateway_name", "base_url"] {
        let is_there = super::exists(
            connection,
            ID,
            &format!("SELECT 1 FROM pragma_table_info('message') WHERE name = '{column}'"),
        )?;
        if !is_there {
            connection
                .execute_batch(&format!("ALTER TABLE message ADD COLUMN {column} TEXT"))
                .doing(ID, doing)?;
        }
    }
    let sql = format!(
        "UPDATE message SET sdk = 'claude-agent', gateway_name = 'Original' WHERE {}",
        is_seen(true, true)
    );
    let stamped = triggers::asleep(connection, ID, || connection.execute(&sql, []).doing(ID, doing))?;
    let mut done = outcome("route", Vec::new());
    done.report
        .insert("route".to_owned(), serde_json::json!({ "stamped": stamped }));
    Ok(done)
}
