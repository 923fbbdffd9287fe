//! Every reason not to touch a review store, each naming its rows.

use rex_store::review::Generation;

use super::{Seen, Tally, gateways, ink, lanes};
use crate::step::{Options, Refusal, StepError};

const ID: &str = "review.refuse";

/// Looks for reasons. Reads the schema and the small tables; messages only when their index is missing.
pub(super) fn look(
    seen: &Seen<'_>,
    generation: &Generation,
    options: &Options,
) -> Result<Vec<Refusal>, StepError> {
    let mut refusals = Vec::new();
    if !generation.unknown.is_empty() && !options.keep_unknown {
        refusals.push(Refusal {
            cause: format!(
                "no build that this tool knows makes {}",
                generation.unknown.join(", ")
            ),
            hint: "use a newer rex-migrate, or add --keep-unknown to leave them as they are".to_owned(),
        });
    }
    refusals.extend(without_rowids(seen)?);
    refusals.extend(ink::refuse(seen)?);
    refusals.extend(lanes::refuse(seen)?);
    refusals.extend(gateways::refuse(seen)?);
    refusals.extend(seq_twice(seen)?);
    Ok(refusals)
}

/// The full-text index names messages by their row numbers.
fn without_rowids(seen: &Seen<'_>) -> Result<Vec<Refusal>, StepError> {
    let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND wr = 1
        AND name IN ('message', 'thread', 'thread_target', 'thread_session', 'agent_gateway', 'gateway_route')";
    let found = Tally::of(seen.connection, ID, sql)?;
    let refusal = |name: String| Refusal {
        cause: format!("{name} is a table without row numbers, as no build makes it"),
        hint: "let the application make a new store, and copy the rows".to_owned(),
    };
    Ok(found.first.into_iter().map(refusal).collect())
}

/// The index that every store has cannot be made over these.
fn seq_twice(seen: &Seen<'_>) -> Result<Vec<Refusal>, StepError> {
    if seen.shape.has_other("idx_message_seq") {
        return Ok(Vec::new());
    }
    let twice = Tally::of(
        seen.connection,
        ID,
        "SELECT thread_id || ' ' || seq FROM message GROUP BY thread_id, seq HAVING count(*) > 1",
    )?;
    if twice.count == 0 {
        return Ok(Vec::new());
    }
    Ok(vec![Refusal {
        cause: format!(
            "{} numbers stand at several messages of one comment: {}",
            twice.count,
            twice.first.join(", ")
        ),
        hint: "number them anew with the sqlite3 shell; the index idx_message_seq is missing".to_owned(),
    }])
}
