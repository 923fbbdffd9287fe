//! Runs statements while no trigger fires. No step changes the words of a message, so the full-text index stays true
//! without its triggers, and indexing every row again would cost more than all steps together.

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::Doing as _;
use crate::step::StepError;

/// Works while triggers sleep, and wakes them whatever became of it.
pub(super) fn asleep<T>(
    connection: &Connection,
    step: &'static str,
    work: impl FnOnce() -> Result<T, StepError>,
) -> Result<T, StepError> {
    let doing = "put triggers to sleep";
    let switch = DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER;
    let before = connection.db_config(switch).doing(step, doing)?;
    connection.set_db_config(switch, false).doing(step, doing)?;
    let done = work();
    connection.set_db_config(switch, before).doing(step, doing)?;
    done
}
