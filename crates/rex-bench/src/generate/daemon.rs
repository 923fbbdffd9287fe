//! Daemon stores at 90, from a small model of bots that knows the truth about every message.

use rusqlite::Connection;

use self::rows::Writer;
use self::world::World;

mod bot;
mod items;
pub mod mix;
mod rows;
pub mod shapes;
pub mod truth;
pub mod words;
mod world;

pub use self::mix::Mix;
pub use self::shapes::Shape;
pub use self::truth::Truth;

/// Rows between two commits: the journal of a large store stays small.
const BATCH_ROWS: u64 = 20_000;

/// Writes a store at 90 onto an empty database and returns the truth about it. `progress` is told the rows so far.
///
/// Switches foreign keys off for the connection; what it writes violates none.
///
/// # Errors
/// What SQLite gives, a full disk for one.
pub fn generate(
    connection: &Connection,
    mix: &Mix,
    seed: u64,
    progress: &mut dyn FnMut(u64),
) -> rusqlite::Result<Truth> {
    connection.pragma_update(None, "foreign_keys", false)?;
    connection.execute_batch(SCHEMA_90)?;
    connection.pragma_update(None, "user_version", 90)?;
    let mut world = World::new(mix, seed, Writer::new(connection)?);
    connection.execute_batch("BEGIN")?;
    let mut committed = 0;
    while world.rows() < mix.rows {
        world.tick()?;
        if world.rows() >= committed + BATCH_ROWS {
            committed = world.rows();
            progress(committed);
            connection.execute_batch("COMMIT; BEGIN")?;
        }
    }
    let truth = world.close()?;
    connection.execute_batch("COMMIT")?;
    Ok(truth)
}

/// The schema at 90.
const SCHEMA_90: &str = rex_store::daemon::SCHEMA_90;
