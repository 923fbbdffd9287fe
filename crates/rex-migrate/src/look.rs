//! Looks at a store without a trace: what it is, what is to be done, and every reason not to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rex_store::error::StoreError;
use rex_store::identify::{self, Kind};
use rex_store::open::{Reader, holders};
use rex_store::schema::Object;
use rusqlite::Connection;

use crate::clock::{Meter, Spent};
use crate::engine::Engine;
use crate::error::MigrateError;
use crate::family::{Family, Told};
use crate::lock::Fingerprint;
use crate::prove;
use crate::step::{How, Options, Refusal, Step};
use crate::survey;

mod schema;

use self::schema::{extras, other_schema, taken_number};

/// How thoroughly to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Version and schema: no table is scanned.
    Header,
    /// Also what the steps refuse: the tables that they replace are scanned.
    Steps,
    /// Also the foreign keys: every table is scanned. An upgrade needs this one.
    Full,
}

/// What a look found. It keeps the store open for reading, without a lock, so that a copy can be made of what was seen.
pub struct Look {
    /// The store, links resolved.
    pub store: PathBuf,
    /// What the receipt of a dry run calls it; a caller that looks at a stand-in may give it the name of the original.
    pub called: PathBuf,
    /// The size of the store, a WAL not counted.
    pub bytes: u64,
    /// What the store holds; `None` when it is no database.
    pub found: Option<Found>,
    /// Every reason not to upgrade it.
    pub refusals: Vec<Refusal>,
    /// How thoroughly it was looked at.
    pub depth: Depth,
    /// What the look cost.
    pub spent: Spent,
    pub(crate) reader: Option<Reader>,
    pub(crate) fingerprint: Fingerprint,
}

impl Look {
    /// Whether the store is one of the family, at a version that it knows.
    pub fn is_of_family(&self) -> bool {
        self.found.as_ref().is_some_and(|found| found.is_known)
    }
}

/// What the inside of a store says.
#[derive(Clone, Debug)]
pub struct Found {
    /// The `user_version`, or what the columns show.
    pub version: i64,
    /// The version that the steps lead to.
    pub to: i64,
    /// Whether every foreign key was checked, and none was violated.
    pub(crate) has_sound_keys: bool,
    /// Whether the family knows the version and shares tables with the store.
    pub is_known: bool,
    /// The steps to the newest version; empty when there is nothing to do, and when no chain of steps leads there.
    pub steps: Vec<Step>,
    /// Tables, columns, indexes, triggers and views that a store of that version should not have.
    pub unknown: BTreeSet<Object>,
}

/// A store that is written to while it is looked at is held by somebody; this often it may happen by chance.
const ATTEMPTS: u32 = 3;

/// Looks at a store. Leaves no trace.
pub(crate) fn look(
    engine: &Engine<'_>,
    store: &Path,
    options: &Options,
    depth: Depth,
) -> Result<Look, MigrateError> {
    let store = std::fs::canonicalize(store).map_err(|source| {
        MigrateError::Unreadable(StoreError::Io {
            doing: "open",
            path: store.to_owned(),
            source,
        })
    })?;
    let meter = Meter::start(engine.clock);
    engine.progress.begin("look", 0, "");
    for _ in 0..ATTEMPTS {
        let fingerprint = fingerprint(engine, &store)?;
        let bytes = fingerprint.bytes();
        let reader = match Reader::open(&store, &engine.scratch) {
            Ok(reader) => reader,
            Err(StoreError::NotADatabase { .. }) => {
                let refusals = vec![not_a_database(&store, engine)?];
                let spent = meter.spent();
                return Ok(Look {
                    called: store.clone(),
                    store,
                    bytes,
                    found: None,
                    refusals,
                    depth,
                    spent,
                    reader: None,
                    fingerprint,
                });
            }
            Err(error) => return Err(MigrateError::Unreadable(error)),
        };
        let seen = inspect(reader.connection(), &engine.family, options, depth);
        if reader.is_unmoved().map_err(MigrateError::Unreadable)?
            && fingerprint == self::fingerprint(engine, &store)?
        {
            let (found, refusals) = seen.map_err(before_anything)?;
            let (found, reader, spent) = (Some(found), Some(reader), meter.spent());
            return Ok(Look {
                called: store.clone(),
                store,
                bytes,
                found,
                refusals,
                depth,
                spent,
                reader,
                fingerprint,
            });
        }
    }
    let holders = holders(&store);
    Err(MigrateError::Unreadable(StoreError::Held {
        path: store,
        holders,
    }))
}

/// While nothing has been written, a store that cannot be read is refused, not rolled back.
fn before_anything(error: MigrateError) -> MigrateError {
    match error {
        MigrateError::Store(source) => MigrateError::Unreadable(source),
        MigrateError::Sqlite { doing, source } => {
            MigrateError::Unreadable(StoreError::Sqlite { doing, source })
        }
        other => other,
    }
}

fn fingerprint(engine: &Engine<'_>, store: &Path) -> Result<Fingerprint, MigrateError> {
    let metadata = std::fs::metadata(store).map_err(MigrateError::file("open", store))?;
    if !metadata.is_file() {
        return Err(MigrateError::Unreadable(StoreError::NotAFile {
            path: store.to_owned(),
            found: if metadata.is_dir() { "directory" } else { "device" },
        }));
    }
    let file = engine
        .files
        .open(store)
        .map_err(MigrateError::file("open", store))?;
    Fingerprint::take(&file, store)
}

fn not_a_database(store: &Path, engine: &Engine<'_>) -> Result<Refusal, MigrateError> {
    let identity = identify::identify(store, &engine.scratch).map_err(MigrateError::Unreadable)?;
    let name = store.display();
    Ok(match identity.kind {
        Kind::EncryptedLooking => Refusal {
            cause: format!("{name} looks encrypted"),
            hint: "decrypt it with the program that wrote it first".to_owned(),
        },
        _ => Refusal {
            cause: format!("{name} is not an SQLite database"),
            hint: format!("check the path; a {} is one SQLite file", engine.family.name),
        },
    })
}

/// Says what a connection's store is and why it would be refused. Reads only.
pub(crate) fn inspect(
    connection: &Connection,
    family: &Family<'_>,
    options: &Options,
    depth: Depth,
) -> Result<(Found, Vec<Refusal>), MigrateError> {
    if let Told::Columns(survey) = family.told {
        return survey::inspect(connection, survey, family, options, depth);
    }
    let version: i64 = connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .map_err(MigrateError::sqlite("read the version"))?;
    let mut found = Found {
        version,
        to: family.newest().unwrap_or(version),
        has_sound_keys: false,
        is_known: false,
        steps: Vec::new(),
        unknown: BTreeSet::new(),
    };
    let differences = prove::schema_differences(connection, family, version)?;
    // A schema without a difference says all about the version.
    if differences
        .as_ref()
        .is_none_or(|differences| !differences.is_empty())
        && let Some(refusal) = wrong_version(connection, family, version)?
    {
        return Ok((found, vec![refusal]));
    }
    found.is_known = true;
    let mut refusals = Vec::new();
    if let Some(differences) = differences {
        if family.newest() == Some(version) {
            refusals.extend(taken_number(&differences, version));
        } else {
            refusals.extend(other_schema(&differences, family, version, options));
            found.unknown = extras(&differences);
        }
    }
    found.steps = family.pending(version).unwrap_or_default().to_vec();
    if refusals.is_empty() && depth >= Depth::Steps {
        refusals.extend(refused_by_steps(connection, &found.steps, options)?);
    }
    if refusals.is_empty() && depth == Depth::Full && !found.steps.is_empty() {
        refusals.extend(violated_keys(connection)?);
        found.has_sound_keys = refusals.is_empty();
    }
    Ok((found, refusals))
}

/// Only the first step can look: the others start from what it leaves behind, and look when their turn has come.
fn refused_by_steps(
    connection: &Connection,
    steps: &[Step],
    options: &Options,
) -> Result<Vec<Refusal>, MigrateError> {
    match steps.first().map(|step| step.how) {
        Some(How::Code { look, .. }) => Ok(look(connection, options)?),
        Some(How::Statements(_)) | None => Ok(Vec::new()),
    }
}

fn wrong_version(
    connection: &Connection,
    family: &Family<'_>,
    version: i64,
) -> Result<Option<Refusal>, MigrateError> {
    let (Some(oldest), Some(newest)) = (family.oldest(), family.newest()) else {
        return Ok(None);
    };
    let name = family.name;
    let refusal = |cause: String, hint: String| Ok(Some(Refusal { cause, hint }));
    let tables = prove::tables(connection)?;
    if tables.is_empty() {
        return refusal(
            "the database is empty".to_owned(),
            format!("check the path; `rex-migrate schema` prints what a fresh {name} holds"),
        );
    }
    if !is_related(family, &tables)? {
        return refusal(format!("the database is no {name}"), "check the path".to_owned());
    }
    if version == 0 {
        return refusal(
            "the store has tables but no version (user_version is 0)".to_owned(),
            "open it with the application that wrote it, which sets the version, and try again".to_owned(),
        );
    }
    if version > newest {
        return refusal(
            format!(
                "the store is at version {version}, newer than {newest}, the newest that this tool knows"
            ),
            "use a newer rex-migrate".to_owned(),
        );
    }
    if version < oldest || family.pending(version).is_none() {
        return refusal(
            format!("the store is at version {version}; the oldest that can be upgraded is {oldest}"),
            format!("bring it to {oldest} with the application's own upgrade first"),
        );
    }
    Ok(None)
}

/// A database that has not even half of a version's tables, for any version, is somebody else's.
fn is_related(family: &Family<'_>, tables: &BTreeSet<String>) -> Result<bool, MigrateError> {
    for version in family.steps.iter().flat_map(|step| [step.from, step.to]) {
        let memory =
            Connection::open_in_memory().map_err(MigrateError::sqlite("open a database in memory"))?;
        if !(family.fresh)(&memory, version)? {
            return Ok(true);
        }
        let mut known = prove::tables(&memory)?;
        known.retain(|name| !name.starts_with("sqlite_"));
        if 2 * known.intersection(tables).count() >= known.len() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn violated_keys(connection: &Connection) -> Result<Vec<Refusal>, MigrateError> {
    let mut dangling = Vec::new();
    for table in prove::tables(connection)? {
        dangling.extend(prove::violated(connection, &table)?);
    }
    Ok(dangling
        .into_iter()
        .map(|dangling| Refusal {
            cause: format!("foreign keys are violated already: {dangling}"),
            hint: "`PRAGMA foreign_key_check` lists them; repair them with the application, then upgrade"
                .to_owned(),
        })
        .collect())
}
