//! What an upgrade would do and need. Changes nothing.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::backup::{self, folder_of};
use crate::engine::Engine;
use crate::error::MigrateError;
use crate::look::{Depth, Look};
use crate::prove;
use crate::space;
use crate::step::{Options, Refusal};

/// What an upgrade would do and need.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Plan {
    /// `rex-migrate.plan/1`.
    pub schema: &'static str,
    /// The store, links resolved.
    #[serde(serialize_with = "crate::spelled::path")]
    #[schemars(with = "PathBuf")]
    pub store: PathBuf,
    /// Its schema version; null when it is no database.
    pub from: Option<i64>,
    /// The version it would have.
    pub to: Option<i64>,
    /// The steps, in order; empty when there is nothing to do.
    pub steps: Vec<PlannedStep>,
    /// How many rows each table has.
    pub rows: BTreeMap<String, i64>,
    /// Size of the store.
    pub bytes: u64,
    /// What the upgrade may write at most, a whole backup beside the store included.
    pub disk_needed_bytes: u64,
    /// What may be written there now; null where the system does not tell.
    pub disk_free_bytes: Option<u64>,
    /// Seconds expected, from the speed at which this machine has just copied a part of the store; null with nothing to do.
    pub seconds_expected: Option<f64>,
    /// What this plan has not looked at; empty with `--full`.
    pub not_checked: Vec<&'static str>,
    /// Why `up` would refuse.
    pub refusals: Vec<Refusal>,
    /// With `--full`, what the steps report; for the daemon store `attribution` and `first` as in a receipt.
    #[serde(flatten)]
    pub report: Map<String, Value>,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlannedStep {
    /// Its id.
    pub id: &'static str,
    /// The version it starts from.
    pub from: i64,
    /// The version it leaves behind.
    pub to: i64,
    /// What it does.
    pub summary: &'static str,
}

impl Engine<'_> {
    /// Plans an upgrade; with `is_full` also tries it on a private copy, which takes nearly as long as a dry run, and
    /// then the plan carries what the steps report. Leaves no trace.
    ///
    /// # Errors
    /// [`MigrateError::Unreadable`]; with `is_full` whatever a step says.
    pub fn plan(&self, store: &Path, options: &Options, is_full: bool) -> Result<Plan, MigrateError> {
        let depth = if is_full { Depth::Full } else { Depth::Steps };
        let look = self.look(store, options, depth)?;
        let mut plan = self.plan_of(&look)?;
        if is_full && plan.refusals.is_empty() && !plan.steps.is_empty() {
            plan.report = self.rehearse(&look, options)?;
        }
        Ok(plan)
    }

    /// The plan for a store that has been looked at.
    ///
    /// # Errors
    /// [`MigrateError::Sqlite`] when rows cannot be counted.
    pub fn plan_of(&self, look: &Look) -> Result<Plan, MigrateError> {
        let steps = look.found.as_ref().map_or(&[][..], |found| &found.steps);
        let needs = space::needs(&look.store, look.bytes, Some(&look.store));
        let from = look.found.as_ref().map(|found| found.version);
        Ok(Plan {
            schema: "rex-migrate.plan/1",
            store: look.called.clone(),
            from,
            to: look
                .found
                .as_ref()
                .filter(|_| !steps.is_empty())
                .map(|found| found.to)
                .or(from),
            steps: steps
                .iter()
                .map(|step| PlannedStep {
                    id: step.id,
                    from: step.from,
                    to: step.to,
                    summary: step.summary,
                })
                .collect(),
            rows: look
                .reader
                .as_ref()
                .map_or_else(|| Ok(BTreeMap::new()), |reader| rows(reader.connection()))?,
            bytes: look.bytes,
            disk_needed_bytes: needs.iter().map(|need| need.bytes).sum(),
            disk_free_bytes: self.files.free_bytes(folder_of(&look.store)).ok(),
            seconds_expected: if steps.is_empty() {
                None
            } else {
                self.seconds_expected(look)
            },
            not_checked: if look.depth == Depth::Full {
                Vec::new()
            } else {
                vec!["foreign keys", "attribution"]
            },
            refusals: look.refusals.clone(),
            report: Map::new(),
        })
    }

    /// An upgrade in place takes about so many times as long as copying the store and syncing the copy.
    const COPIES: f64 = 12.0;
    /// How much is copied to learn the speed.
    const SAMPLE_BYTES: u64 = 4 << 20;

    fn seconds_expected(&self, look: &Look) -> Option<f64> {
        let started = self.clock.now();
        let source = self.files.open(&look.store).ok()?;
        let mut copy = tempfile::tempfile_in(&self.scratch).ok()?;
        let mut sample = Vec::new();
        let bytes = source.take(Self::SAMPLE_BYTES).read_to_end(&mut sample).ok()?;
        copy.write_all(&sample).ok()?;
        copy.sync_all().ok()?;
        let seconds = self.clock.now().duration_since(started).as_secs_f64();
        let expected = seconds * look.bytes as f64 / bytes.max(1) as f64 * Self::COPIES;
        Some((expected * 100.0).ceil() / 100.0)
    }
}

/// Counts the rows of every table: SQLite walks the smallest index of each, which needs no content.
fn rows(connection: &Connection) -> Result<BTreeMap<String, i64>, MigrateError> {
    let mut counted = BTreeMap::new();
    for table in prove::tables(connection)? {
        let sql = format!("SELECT count(*) FROM \"{}\"", table.replace('"', "\"\""));
        let rows = connection
            .query_row(&sql, [], |row| row.get(0))
            .map_err(MigrateError::sqlite("count the rows"))?;
        counted.insert(table, rows);
    }
    Ok(counted)
}

impl Plan {
    /// Where the backup would be, were the upgrade started at `now`.
    pub fn backup_path(&self, now: jiff::Timestamp) -> PathBuf {
        backup::path_beside(&self.store, self.from.unwrap_or_default(), now)
    }
}
