//! Generation 7: comments get a place in their list. Also for a store whose comments never got one, because an opening
//! was cut off between the new column and its content.

use rex_store::review::THREAD_GROUP_INDEX;

use super::{Doing as _, Guarded, Tally, exists, outcome, step, triggers};
use crate::step::{Outcome, StepError, Work};

const ID: &str = "review.positions";

pub(super) const STEP: Guarded = Guarded {
    step: step(ID, (6, 7), "comments are ranked by time in their list", apply),
    is_needed: |seen| {
        let has_column = seen.shape.has("thread.position");
        let has_group = seen.shape.has("thread.group_id");
        Ok(!has_column
            || !seen.shape.has_other("idx_thread_group")
            || exists(seen.connection, ID, &unranked(has_group))?)
    },
};

/// Lists of several comments with one and the same position: nobody has ranked them.
pub(super) fn unranked(has_group: bool) -> String {
    let group = if has_group { "group_id" } else { "NULL" };
    format!(
        "SELECT {group} AS list FROM thread GROUP BY 1 HAVING count(*) > 1 AND count(DISTINCT position) = 1"
    )
}

/// The rank of every comment of an unranked list: by time as a text, as the application orders, ties by id.
pub(super) fn ranks(has_group: bool, has_position: bool) -> String {
    let group = if has_group { "group_id" } else { "NULL" };
    let list = if has_position {
        format!(
            "WHERE EXISTS (SELECT 1 FROM ({}) u WHERE u.list IS t.{group})",
            unranked(has_group)
        )
        .replace("t.NULL", "NULL")
    } else {
        String::new()
    };
    format!(
        "SELECT t.rowid AS thread, row_number() OVER (PARTITION BY {group} ORDER BY created_at, id) - 1 AS position
         FROM thread t {list}"
    )
}

fn apply(work: &Work<'_>) -> Result<Outcome, StepError> {
    let doing = "rank the comments";
    let connection = work.connection;
    let is_new = !exists(
        connection,
        ID,
        "SELECT 1 FROM pragma_table_info('thread') WHERE name = 'position'",
    )?;
    if is_new {
        connection
            .execute_batch("ALTER TABLE thread ADD COLUMN position INTEGER NOT NULL DEFAULT 0")
            .doing(ID, doing)?;
    }
    connection.execute_batch(THREAD_GROUP_INDEX).doing(ID, doing)?;
    let ranks = ranks(true, true);
    let ranked = Tally::of(
        connection,
        ID,
        &format!("SELECT id FROM thread WHERE rowid IN (SELECT thread FROM ({ranks})) ORDER BY rowid"),
    )?;
    let odd_times = Tally::of(
        connection,
        ID,
        "SELECT id FROM thread WHERE created_at NOT GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T*Z' ORDER BY rowid",
    )?;
    triggers::asleep(connection, ID, || {
        // Into a table first: the ranks are read from the rows that are written.
        connection
            .execute_batch(&format!(
                "CREATE TEMP TABLE review_rank AS {ranks};
                 UPDATE thread SET position = r.position FROM temp.review_rank r WHERE thread.rowid = r.thread;
                 DROP TABLE temp.review_rank;"
            ))
            .doing(ID, doing)
    })?;
    let class = if is_new {
        "ranked"
    } else {
        "ranked_after_a_cut_opening"
    };
    Ok(outcome(
        "positions",
        vec![(class, ranked), ("times_of_another_form", odd_times)],
    ))
}
