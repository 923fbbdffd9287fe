//! Checks an upgraded store again, by itself, against its receipt or against its backup. Leaves no trace.

use std::path::{Path, PathBuf};

use rex_store::schema::Difference;
use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::Engine;
use crate::error::MigrateError;
use crate::family::Told;
use crate::look::Depth;
use crate::prove::{self, Side};
use crate::receipt::{Receipt, TableProof};
use crate::status;
use crate::step::{Options, Step};
use crate::survey;

/// What was checked and what it showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Verification {
    /// `rex-migrate.verify/1`.
    pub schema: &'static str,
    /// The store, links resolved.
    #[serde(serialize_with = "crate::spelled::path")]
    #[schemars(with = "PathBuf")]
    pub store: PathBuf,
    /// Its schema version.
    pub version: i64,
    /// The backup it was held against, if one was named.
    #[serde(serialize_with = "crate::spelled::optional")]
    #[schemars(with = "Option<PathBuf>")]
    pub against: Option<PathBuf>,
    /// The receipt it was held against: the newest beside the store, unless a backup was named.
    #[serde(serialize_with = "crate::spelled::optional")]
    #[schemars(with = "Option<PathBuf>")]
    pub receipt: Option<PathBuf>,
    /// What the schema lacks, or has otherwise than a fresh store of that version.
    pub schema_differences: Vec<String>,
    /// Rows that name a row that is not there, by table.
    pub dangling_rows: Vec<String>,
    /// What SQLite's integrity check found, the first twenty.
    pub damage: Vec<String>,
    /// The facts of the upgrade: before from the backup or the receipt, after from the store. Empty without either.
    pub tables: Vec<TableProof>,
    /// Whether everything above holds. A store that was used since its upgrade differs from its receipt.
    pub holds: bool,
}

impl Engine<'_> {
    /// Verifies a store. Leaves no trace.
    ///
    /// # Errors
    /// [`MigrateError::Refused`] when it is none of the family; [`MigrateError::Unreadable`] and [`MigrateError::Receipt`].
    pub fn verify(&self, store: &Path, against: Option<&Path>) -> Result<Verification, MigrateError> {
        let options = Options { keep_unknown: true };
        let look = self.look(store, &options, Depth::Header)?;
        let (Some(found), Some(reader)) = (&look.found, &look.reader) else {
            return Err(MigrateError::Refused {
                refusals: look.refusals,
            });
        };
        if !look.is_of_family() {
            return Err(MigrateError::Refused {
                refusals: look.refusals,
            });
        }
        let connection = reader.connection();
        let mut verification = Verification {
            schema: "rex-migrate.verify/1",
            version: found.version,
            against: against.map(Path::to_owned),
            receipt: None,
            schema_differences: self.lacking(connection, found.version)?,
            dangling_rows: dangling(connection)?,
            damage: damage(connection)?,
            tables: Vec::new(),
            holds: false,
            store: look.store.clone(),
        };
        match against {
            Some(backup) => verification.tables = self.against_backup(connection, found.version, backup)?,
            None => self.against_receipt(connection, &mut verification)?,
        }
        verification.holds = verification.schema_differences.is_empty()
            && verification.dangling_rows.is_empty()
            && verification.damage.is_empty()
            && verification.tables.iter().all(TableProof::holds);
        Ok(verification)
    }

    fn lacking(&self, connection: &Connection, version: i64) -> Result<Vec<String>, MigrateError> {
        if let Told::Columns(survey) = self.family.told {
            return Ok((survey.lacking)(connection)?);
        }
        let differences = prove::schema_differences(connection, &self.family, version)?.unwrap_or_default();
        Ok(differences
            .iter()
            .filter(|difference| !matches!(difference, Difference::Extra(_)))
            .map(ToString::to_string)
            .collect())
    }

    /// The one step between two versions: across several, only each step itself can hold its facts.
    fn step_between(&self, from: i64, to: i64) -> Option<&Step> {
        self.family
            .steps
            .iter()
            .find(|step| step.from == from && step.to == to)
    }

    fn against_backup(
        &self,
        connection: &Connection,
        version: i64,
        backup: &Path,
    ) -> Result<Vec<TableProof>, MigrateError> {
        let look = self.look(backup, &Options { keep_unknown: true }, Depth::Header)?;
        let (Some(found), Some(reader)) = (&look.found, &look.reader) else {
            return Err(MigrateError::Refused {
                refusals: look.refusals,
            });
        };
        if let Told::Columns(survey) = self.family.told {
            return survey::against_backup(survey, reader.connection(), connection);
        }
        let Some(step) = self.step_between(found.version, version) else {
            return Err(MigrateError::NotItsBackup {
                backup: backup.to_owned(),
                from: found.version,
                to: version,
            });
        };
        let before = prove::states(reader.connection(), step, Side::Before)?;
        let after = prove::states(connection, step, Side::After)?;
        let absent = rex_store::digest::TableDigest::default();
        let mut proofs: Vec<_> = before
            .iter()
            .map(|(key, old)| TableProof::new(&key.0, *old, *after.get(key).unwrap_or(&absent), &key.1))
            .collect();
        let appeared = after.iter().filter(|(key, _)| !before.contains_key(*key));
        proofs.extend(appeared.map(|(key, new)| TableProof::new(&key.0, absent, *new, &key.1)));
        Ok(proofs)
    }

    fn against_receipt(
        &self,
        connection: &Connection,
        verification: &mut Verification,
    ) -> Result<(), MigrateError> {
        let backups = status::backups(&verification.store)?;
        let Some(path) = backups.into_iter().rev().find_map(|backup| backup.receipt) else {
            return Ok(());
        };
        let receipt = Receipt::read(&path)?;
        let Some(step) = self.step_between(receipt.from, receipt.to) else {
            return Ok(());
        };
        if receipt.to != verification.version {
            return Ok(());
        }
        let after = prove::states(connection, step, Side::After)?;
        let now = |proof: &TableProof| {
            after
                .get(&(proof.name.clone(), proof.rule.clone()))
                .copied()
                .unwrap_or_default()
        };
        verification.tables = receipt
            .tables
            .iter()
            .map(|proof| proof.with_after(now(proof)))
            .collect();
        verification.receipt = Some(path);
        Ok(())
    }
}

fn dangling(connection: &Connection) -> Result<Vec<String>, MigrateError> {
    let dangling =
        prove::dangling(connection, None).map_err(MigrateError::sqlite("check the foreign keys"))?;
    Ok(dangling.iter().map(ToString::to_string).collect())
}

fn damage(connection: &Connection) -> Result<Vec<String>, MigrateError> {
    let check = || -> rusqlite::Result<Vec<String>> {
        connection
            .prepare("PRAGMA integrity_check(20)")?
            .query_map([], |row| row.get(0))?
            .collect()
    };
    let mut found = check().map_err(MigrateError::sqlite("check the store's integrity"))?;
    found.retain(|line| line != "ok");
    Ok(found)
}
