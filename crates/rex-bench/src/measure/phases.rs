//! The CPU of every part of one upgrade, in this process.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rex_migrate::engine::{Engine, Keep, Request, Target};
use rex_migrate::error::MigrateError;
use rex_migrate::family;
use rex_migrate::look::Depth;
use rex_migrate::progress::Progress;
use rex_migrate::step::Options;
use rex_store::identify::identify;

use super::Phase;

/// Notes the CPU at which each phase begins.
#[derive(Default)]
struct Marks(Mutex<Vec<(&'static str, f64)>>);

impl Progress for Marks {
    fn begin(&self, phase: &'static str, _total: u64, _unit: &'static str) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((phase, cpu_seconds()));
    }

    fn at(&self, _done: u64) {}
}

fn cpu_seconds() -> f64 {
    let cpu = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9
}

/// Upgrades a store, with a backup beside it, and returns what each phase cost.
///
/// # Errors
/// What the upgrade gives.
pub fn of_upgrade(store: &Path, scratch: &Path) -> Result<Vec<Phase>, MigrateError> {
    let marks = Arc::new(Marks::default());
    let identity = identify(store, scratch).map_err(MigrateError::Unreadable)?;
    let mut engine = Engine::new(family::of(identity.kind), scratch);
    engine.progress = Arc::clone(&marks) as Arc<dyn Progress>;
    let options = Options::default();
    let look = engine.look(store, &options, Depth::Full)?;
    engine.up(
        &look,
        &Request {
            target: Target::InPlace(Keep::Beside),
            options,
            compact: false,
        },
    )?;
    let mut marks = marks.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    marks.push(("end", cpu_seconds()));
    let parts = marks.iter().zip(marks.iter().skip(1));
    Ok(parts
        .map(|((name, begin), (_, end))| Phase {
            name: (*name).to_owned(),
            cpu_seconds: end - begin,
        })
        .collect())
}
