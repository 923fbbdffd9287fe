//! Files every event under its run, its message or both. The payloads stay as they are.

use rusqlite::Connection;

use super::{Doing as _, StepError};

/// In line, or of a message that never ran: not under a run, but under that message. What follows a row that is not
/// there stays as it is.
const IN_LINE: &str = "
    UPDATE events SET message = turn, turn = NULL WHERE id IN (
        SELECT e.id FROM events e INDEXED BY events_turn_kind LEFT JOIN turns t ON t.id = e.turn
        WHERE e.turn IS NOT NULL
        AND (e.kind = 'queued' OR t.id IS NULL)
        AND (t.id IS NOT NULL OR EXISTS (SELECT 1 FROM messages m WHERE m.number = e.turn)))";

/// Under a run, and about the message that it took in.
const TAKEN_IN: &str = "
    UPDATE events SET message = (SELECT s.message FROM temp.split_steered s WHERE s.event = events.id)
    WHERE id IN (
        SELECT s.event FROM temp.split_steered s JOIN turns t ON t.id = s.turn
        JOIN messages m ON m.number = s.message)";

/// Adds the column `message` and fills it.
pub(super) fn refile(connection: &Connection) -> Result<(), StepError> {
    let doing = "file the events";
    connection
        .execute_batch("ALTER TABLE events ADD COLUMN message INTEGER")
        .doing(doing)?;
    connection.execute(TAKEN_IN, []).doing(doing)?;
    connection.execute(IN_LINE, []).doing(doing)?;
    Ok(())
}
