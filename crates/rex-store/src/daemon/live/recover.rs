//! After a crash: what ran is interrupted, the oldest in each line is ready, processes are lost.

use super::end::{End, end_run};
use super::host::Host;
use super::{LiveWriter, line};
use crate::daemon::statement::Statement;
use crate::error::StoreError;

const RUNNING: Statement = Statement::new(
    "recover.running",
    "look for runs that went",
    "SELECT id FROM turns INDEXED BY turns_running WHERE status = 'running' ORDER BY id LIMIT 1",
)
.scanning("reads the first row of the index");
const NEXT_LINE: Statement = Statement::new(
    "recover.next_line",
    "look for the next bot with a line",
    "SELECT bot FROM messages INDEXED BY messages_in_line
    WHERE status IN ('queued', 'attached') AND bot > ?1 ORDER BY bot LIMIT 1",
);
const LAST_PROCESS: Statement = Statement::new(
    "recover.last_process",
    "look for the newest process",
    "SELECT max(id) FROM processes",
);
const LOST: Statement = Statement::new(
    "recover.lost",
    "mark processes as lost",
    "UPDATE processes SET status = 'lost' WHERE id > ?1 AND id <= ?2 AND status = 'running'",
);

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[RUNNING, NEXT_LINE, LAST_PROCESS, LOST];

/// How many processes one transaction looks at.
const PIECE_ROWS: i64 = 1024;

/// What recovery found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Runs that went when the application ended; they are interrupted now.
    pub interrupted: Vec<i64>,
    /// Messages that became ready.
    pub ready: Vec<i64>,
    /// Processes that nobody watches any more.
    pub lost: usize,
}

impl LiveWriter {
    /// Makes a store whole after the application ended without warning; to be called before anything else, by the
    /// only application that runs on it. A parked run stays parked. One transaction for each run, each line and each
    /// piece of the processes: if it is stopped, call it again.
    ///
    /// # Errors
    /// [`StoreError::WriterDead`], [`StoreError::Sqlite`].
    pub fn recover(&mut self, now_ms: i64) -> Result<Recovered, StoreError> {
        let mut recovered = Recovered::default();
        while let Some((turn, ready)) = self.interrupt_next(now_ms)? {
            recovered.interrupted.push(turn);
            recovered.ready.extend(ready);
        }
        let mut after = String::new();
        while let Some(bot) =
            NEXT_LINE.first(self.read().connection(), [&after], |row| row.get::<_, String>(0))?
        {
            recovered.ready.extend(self.serve_line(&bot, now_ms)?);
            after = bot;
        }
        recovered.lost = self.lose_processes()?;
        Ok(recovered)
    }

    fn interrupt_next(&mut self, now_ms: i64) -> Result<Option<(i64, Option<i64>)>, StoreError> {
        self.transact(|connection| {
            let Some(turn) = RUNNING.first(connection, [], |row| row.get(0))? else {
                return Ok(None);
            };
            let bot = end_run(connection, turn, End::Interrupted, now_ms)?;
            Ok(Some((turn, line::promote(connection, &bot, now_ms)?)))
        })
    }

    /// A line whose bot is idle and whose head is not ready: an older program may have left it so.
    fn serve_line(&mut self, bot: &str, now_ms: i64) -> Result<Option<i64>, StoreError> {
        self.transact(|connection| {
            let host = match Host::find(connection, bot) {
                Err(StoreError::Refused { .. }) => return Ok(None),
                host => host?,
            };
            if host.running_turn.is_some() || host.ready(connection)?.is_some() {
                return Ok(None);
            }
            line::promote(connection, bot, now_ms)
        })
    }

    fn lose_processes(&mut self) -> Result<usize, StoreError> {
        let newest: Option<Option<i64>> =
            LAST_PROCESS.first(self.read().connection(), [], |row| row.get(0))?;
        let newest = newest.flatten().unwrap_or(0);
        let (mut after, mut lost) = (0, 0);
        while after < newest {
            let upto = after.saturating_add(PIECE_ROWS);
            lost += self.transact(|connection| LOST.execute(connection, (after, upto)))?;
            after = upto;
        }
        Ok(lost)
    }
}
