//! Copies the rows: every old row becomes a message, every run a turn. What is replaced goes last.

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::{Doing as _, StepError, adopt, carry};

/// The old table, out of the way of the new one of its name.
pub(super) const OLD: &str = "split_old_turns";

const MESSAGES: &str = "
    INSERT INTO split_messages(number, bot, request_id, words, words_node, quotes, pictures,
        from_bot, from_turn, from_id, origin, delivery, expected_turn, workspace, model, effort, inherited_effort,
        status, turn, node, taken_ms, ended_ms{extra})
    SELECT t.id, t.bot, t.request_id, t.prompt, t.prompt_node,
        iif(t.quotes IS NULL, NULL, coalesce((SELECT w.quotes FROM temp.split_text w WHERE w.number = t.id), t.quotes)),
        t.pictures, t.from_bot, t.from_turn, t.from_id, t.origin, t.delivery, t.expected_turn, t.workspace, t.model,
        t.reasoning, t.inherited_reasoning,
        CASE
            WHEN t.started_ms IS NOT NULL OR n.id IS NOT NULL OR t.status = 'steered' THEN 'taken'
            WHEN t.status = 'interrupted' THEN 'withdrawn'
            ELSE t.status
        END,
        CASE
            WHEN t.started_ms IS NOT NULL OR n.id IS NOT NULL THEN t.id
            WHEN t.status = 'steered' THEN (SELECT x.turn FROM temp.split_taken x WHERE x.number = t.id)
        END,
        CASE
            WHEN n.id IS NOT NULL THEN n.id
            WHEN t.started_ms IS NOT NULL OR t.status = 'steered'
            THEN (SELECT x.node FROM temp.split_taken x WHERE x.number = t.id)
        END,
        CASE
            WHEN t.started_ms IS NOT NULL OR n.id IS NOT NULL THEN t.started_ms
            WHEN t.status = 'steered' THEN t.finished_ms
        END,
        iif(t.started_ms IS NOT NULL OR n.id IS NOT NULL OR t.status = 'steered', NULL, t.finished_ms){extra_from}
    FROM split_old_turns t LEFT JOIN nodes n ON n.turn = t.id ORDER BY t.id";

const TURNS: &str = "
    INSERT INTO turns(id, bot, status, waiting, model_rounds, view_sent, input_tokens, output_tokens,
        cached_input_tokens, retries, paced_ms, started_ms, finished_ms)
    SELECT t.id, t.bot, t.status,
        iif(t.waiting IS NULL, NULL,
            coalesce((SELECT w.waiting FROM temp.split_text w WHERE w.number = t.id), t.waiting)),
        t.model_rounds, t.view_sent, t.input_tokens, t.output_tokens, t.cached_input_tokens, t.retries, t.paced_ms,
        t.started_ms, t.finished_ms
    FROM split_old_turns t
    WHERE t.started_ms IS NOT NULL OR EXISTS (SELECT 1 FROM nodes n WHERE n.turn = t.id) ORDER BY t.id";

/// At least the old one and every number that is named anywhere. Only a number that was given, as the sequence or a
/// row says, may be the highest of all; a mere reference to it would end the store for nothing.
const SEQUENCE: &str = "
    INSERT INTO message_sequence SELECT 1, max(
        coalesce((SELECT max(last_id) FROM turn_sequence), 0),
        coalesce((SELECT max(number) FROM messages), 0),
        coalesce((SELECT max(turn) FROM nodes WHERE turn < 9223372036854775807), 0),
        coalesce((SELECT max(turn) FROM events WHERE turn < 9223372036854775807), 0),
        coalesce((SELECT max(turn) FROM senders WHERE turn < 9223372036854775807), 0),
        ?1, 0)";

/// Made while their table is empty: few rows belong in them, and later each would cost a scan.
const SMALL_INDEXES: [&str; 3] = ["turns_running", "turns_waiting", "turns_paced"];

/// The like of the messages, made for the table in which they are gathered.
const GATHERED_INDEXES: [(&str, &str); 2] = [
    ("messages_ready", "split_ready"),
    ("messages_in_line", "split_in_line"),
];

/// What a new table or index takes over from an old one as it is.
const TAKEN_OVER: [(&str, &str); 8] = [
    ("messages", "split_messages"),
    ("messages_ready", "split_ready"),
    ("messages_in_line", "split_in_line"),
    (
        "sqlite_autoindex_messages_1",
        "sqlite_autoindex_split_old_turns_1",
    ),
    ("messages_bot", "turns_bot_id"),
    ("messages_words_node", "turns_prompt_node"),
    ("retained_messages", "retained_turns"),
    ("retained_messages_bot", "retained_turns_bot"),
];

/// Made when their tables are full: sorting once is cheaper than a search per row.
const LARGE_INDEXES: [&str; 6] = [
    "messages_node",
    "messages_turn",
    "turns_bot_id",
    "turns_started_ms",
    "turns_bot_started",
    "events_message",
];

/// Makes the new tables beside the old ones and fills them. Gives the number of old rows.
pub(super) fn split(connection: &Connection, highest_reference: i64) -> Result<usize, StepError> {
    let doing = "copy the turns";
    let columns = carry::columns(connection)?;
    rename_old(connection).doing(doing)?;
    let fresh = carry::fresh_91()?;
    for name in ["messages", "turns", "retained_messages", "message_sequence"] {
        connection.execute_batch(fresh.definition(name)).doing(doing)?;
    }
    for column in &columns {
        let sql = format!("ALTER TABLE messages ADD COLUMN {}", column.definition);
        connection.execute_batch(&sql).doing(doing)?;
    }
    gather(connection, &fresh).doing(doing)?;
    let listed = |prefix: &str| {
        columns
            .iter()
            .fold(String::new(), |list, column| list + ", " + prefix + &column.name)
    };
    let (extra, extra_from) = (listed(""), listed("t."));
    let messages = MESSAGES
        .replace("{extra_from}", &extra_from)
        .replace("{extra}", &extra);
    let old_rows = connection.execute(&messages, []).doing(doing)?;
    for name in [
        "messages_bot",
        "messages_words_node",
        "messages_ready",
        "messages_in_line",
        "retained_messages_bot",
    ] {
        connection.execute_batch(fresh.definition(name)).doing(doing)?;
    }
    adopt::exchange(connection, &TAKEN_OVER)?;
    for index in ["sqlite_autoindex_messages_1", "messages_bot"] {
        adopt::check(connection, "messages", index, old_rows)?;
    }
    connection
        .execute_batch("DROP INDEX turns_bot_id; DROP TABLE split_messages")
        .doing(doing)?;
    for name in SMALL_INDEXES {
        connection.execute_batch(fresh.definition(name)).doing(doing)?;
    }
    unchecked(connection, || connection.execute(TURNS, [])).doing(doing)?;
    connection.execute(SEQUENCE, [highest_reference]).doing(doing)?;
    Ok(old_rows)
}

/// Runs a statement without the CHECKs of its table: what they allow is what was let through before the first write,
/// and the proof finds every status as it was.
fn unchecked<T>(connection: &Connection, run: impl FnOnce() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    connection.pragma_update(None, "ignore_check_constraints", true)?;
    let done = run();
    connection.pragma_update(None, "ignore_check_constraints", false)?;
    done
}

/// Makes the table in which the messages are gathered: their columns without their keys.
fn gather(connection: &Connection, fresh: &carry::Fresh) -> rusqlite::Result<()> {
    let columns: String = connection.query_row(
        "SELECT group_concat(format('\"%w\" %s%s', name, type, iif(pk, ' PRIMARY KEY', '')), ', ' ORDER BY cid)
         FROM pragma_table_info('messages')",
        [],
        |row| row.get(0),
    )?;
    connection.execute_batch(&format!("CREATE TABLE split_messages({columns})"))?;
    for (name, gathered) in GATHERED_INDEXES {
        let as_made = format!("{name} ON messages(");
        let sql = fresh
            .definition(name)
            .replace(&as_made, &format!("{gathered} ON split_messages("));
        connection.execute_batch(&sql)?;
    }
    Ok(())
}

/// Moves the old table out of the way; its indexes would hold the names of the new ones.
fn rename_old(connection: &Connection) -> rusqlite::Result<()> {
    // In any other mode the foreign keys of all tables would follow the old table under its new name.
    let before: i64 = connection.pragma_query_value(None, "legacy_alter_table", |row| row.get(0))?;
    connection.pragma_update(None, "legacy_alter_table", true)?;
    let renamed = connection.execute_batch(&format!("ALTER TABLE turns RENAME TO {OLD}"));
    connection.pragma_update(None, "legacy_alter_table", before)?;
    renamed?;
    SMALL_INDEXES
        .iter()
        .try_for_each(|index| connection.execute_batch(&format!("DROP INDEX {index}")))
}

/// Makes the indexes that are cheaper to make at once.
pub(super) fn index(connection: &Connection) -> Result<(), StepError> {
    let fresh = carry::fresh_91()?;
    for name in LARGE_INDEXES {
        connection
            .execute_batch(fresh.definition(name))
            .doing("make the indexes")?;
    }
    Ok(())
}

/// Drops what is replaced.
pub(super) fn drop_old(connection: &Connection) -> Result<(), StepError> {
    connection
        .execute_batch(&format!(
            "DROP TABLE retained_turns; DROP TABLE {OLD}; DROP TABLE turn_sequence;"
        ))
        .doing("drop the old tables")
}

/// Runs the work while triggers sleep: a carried one must not take the split for work of its application.
pub(super) fn without_triggers<T>(
    connection: &Connection,
    work: impl FnOnce() -> Result<T, StepError>,
) -> Result<T, StepError> {
    let doing = "put triggers to sleep";
    let before = connection
        .db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER)
        .doing(doing)?;
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
        .doing(doing)?;
    let done = work();
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, before)
        .doing(doing)?;
    done
}
