//! A home with sessions of Claude Code and Codex, all healthy: what the doctor's speed is measured on.
//!
//! Paths inside the stores are those of the finished home, so its content depends on where it lies, on the seed and on
//! nothing else.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::error::BenchError;
use crate::generate::Dice;

mod claude;
mod codex;
pub mod long;

/// How many sessions, and how large they are together.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Sessions of Claude Code.
    pub claude: u64,
    /// Sessions of Codex.
    pub codex: u64,
    /// Bytes of all logs together, about.
    pub bytes: u64,
}

/// The last moment in the home, in Unix milliseconds: 2026-11-30, noon.
const END_MS: i64 = 1_796_040_000_000;

/// Kilobytes of a session, from so many to so many, and how many of a thousand sessions are so large.
const SIZE_CLASSES: [(u32, u64, u64); 5] = [
    (500, 8, 50),
    (300, 50, 200),
    (150, 200, 800),
    (45, 800, 4000),
    (5, 4000, 40_000),
];

/// Folders that people work in.
const PROJECTS: u64 = 40;

/// Writes the home into the empty folder `folder`, which will be renamed to `home`. `progress` is told the bytes so far.
///
/// # Errors
/// [`BenchError::File`] and [`BenchError::Sqlite`], a full disk for one.
pub fn generate(
    folder: &Path,
    home: &Path,
    sizes: Sizes,
    seed: u64,
    progress: &mut dyn FnMut(u64),
) -> Result<(), BenchError> {
    let mut dice = Dice::new(seed);
    for project in 0..PROJECTS {
        let path = folder.join(format!("work/project-{project:02}"));
        fs::create_dir_all(&path).map_err(failed("create", &path))?;
    }
    let planned = plan(&mut dice, sizes);
    let (claude, codex) = planned.split_at(sizes.claude as usize);
    let mut out = Home {
        folder,
        path: home,
        dice,
        written: 0,
        progress,
    };
    claude::write(&mut out, claude)?;
    codex::write(&mut out, codex)
}

/// The bytes of every session: skewed, and together about what was asked for.
fn plan(dice: &mut Dice, sizes: Sizes) -> Vec<u64> {
    let weights = SIZE_CLASSES.map(|class| class.0);
    let mut planned: Vec<u64> = (0..sizes.claude + sizes.codex)
        .map(|_| {
            let (_, low, high) = SIZE_CLASSES
                .get(dice.weighted(&weights))
                .copied()
                .unwrap_or((0, 8, 50));
            dice.range(low as i64 * 1000, high as i64 * 1000) as u64
        })
        .collect();
    let total: u64 = planned.iter().sum();
    for bytes in &mut planned {
        *bytes = (u128::from(*bytes) * u128::from(sizes.bytes) / u128::from(total.max(1))) as u64;
    }
    planned
}

/// The home under construction.
struct Home<'a> {
    folder: &'a Path,
    path: &'a Path,
    dice: Dice,
    written: u64,
    progress: &'a mut dyn FnMut(u64),
}

impl Home<'_> {
    /// A random id in the form of version 4.
    fn uuid(&mut self) -> String {
        let bits = (u128::from(self.dice.below(u64::MAX)) << 64) | u128::from(self.dice.below(u64::MAX));
        uuid_of(bits, 4)
    }

    /// An id in the form of version 7: it begins with its time.
    fn uuid_at(&mut self, ms: i64) -> String {
        let random = (u128::from(self.dice.below(1 << 16)) << 64) | u128::from(self.dice.below(u64::MAX));
        uuid_of(((ms as u128) << 80) | random, 7)
    }

    /// A folder that somebody works in, as the finished home has it.
    fn project(&mut self) -> PathBuf {
        let project = self.dice.below(PROJECTS);
        self.path.join(format!("work/project-{project:02}"))
    }

    /// Writes a log that was last written at `ms`.
    fn write(&mut self, below: &Path, text: &[u8], ms: i64) -> Result<(), BenchError> {
        let path = self.folder.join(below);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed("create", parent))?;
        }
        let mut file = File::create_new(&path).map_err(failed("create", &path))?;
        file.write_all(text).map_err(failed("write", &path))?;
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(ms.max(0) as u64);
        file.set_modified(time)
            .map_err(failed("set the time of", &path))?;
        self.written += text.len() as u64;
        (self.progress)(self.written);
        Ok(())
    }
}

fn uuid_of(bits: u128, version: u128) -> String {
    let bits = (bits & !(0xf << 76) & !(0x3 << 62)) | (version << 76) | (0x2 << 62);
    let hex = format!("{bits:032x}");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!(
        "{}-{}-{}-{}-{}",
        part(0, 8),
        part(8, 12),
        part(12, 16),
        part(16, 20),
        part(20, 32)
    )
}

/// RFC 3339 with milliseconds.
fn stamp(ms: i64) -> String {
    let time = jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> BenchError {
    let path = path.to_owned();
    move |source| BenchError::File { doing, path, source }
}
