//! `rex-bench generate daemon SHAPE … OUT.db`

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;
use indicatif::{ProgressBar, ProgressStyle};

use super::{folder, write_store};
use crate::error::BenchError;
use crate::generate::daemon::{Mix, Shape, Truth, shapes};

const AFTER_HELP: &str = "\
Shapes:
  chat        the headline: 600 bots, a fifth steers, events for the newest 50 submissions a bot
  one-bot     the quadratic trap: one bot, half steers, no events, nodes unknown
  ties        soundness: no evidence but times, many of them equal, some clock steps
  same-words  attribution by words: four fifths are steers that say \"go on\", half the events gone
  tool-heavy  bytes and memory: 40 nodes a run, large artifacts, 2 GiB
  deep-fork   lineages: 2,000 forks of 20 roots, half the roots deleted, names recycled
  parked      waits: the last run of each of 5,000 bots is parked on 1 to 64 handles

Examples:
  rex-bench generate daemon chat --seed 1 chat.db
  rex-bench generate daemon one-bot --rows 720000 --seed 1 --truth one-bot.json one-bot.db";

/// Generate a daemon store
///
/// The same shape, rows, bots and seed give the same content on every machine. The store is written beside OUT and
/// gets its name when it is whole; an existing file is never overwritten.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Daemon {
    /// What the store is like
    #[arg(value_parser = PossibleValuesParser::new(shapes::ALL.map(|shape| shape.name)))]
    shape: String,
    /// The file to write
    out: PathBuf,
    /// Submissions [default: the shape's]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    rows: Option<u64>,
    /// Where chance begins
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The schema version of the store
    #[arg(long, default_value = "90", value_parser = ["90"])]
    schema: String,
    /// Bots, forks included [default: the shape's]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    bots: Option<u64>,
    /// Write what the model knows about every message, as JSON
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Let clocks step back where the order of a bot's own times does not show it
    #[arg(long)]
    hidden_clock: bool,
}

impl Daemon {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        for path in [Some(&self.out), self.truth.as_ref()].into_iter().flatten() {
            if path.symlink_metadata().is_ok() {
                return Err(BenchError::OutputExists { path: path.clone() });
            }
        }
        let Some(shape) = shapes::ALL.iter().find(|shape| shape.name == self.shape) else {
            return Ok(());
        };
        let temporary = tempfile::Builder::new()
            .prefix(".rex-bench-")
            .tempfile_in(folder(&self.out))
            .map_err(|source| self.file("create a file beside", source))?;
        let truth = self.write(shape, temporary.path())?;
        if let Some(path) = &self.truth {
            self.write_truth(&truth, path)?;
        }
        temporary
            .persist_noclobber(&self.out)
            .map_err(|failed| self.file("name", failed.error))?;
        Ok(())
    }

    fn mix(&self, shape: &Shape) -> Mix {
        let mut mix = (shape.mix)(self.rows.unwrap_or(shape.rows), self.bots.unwrap_or(shape.bots));
        if self.hidden_clock {
            mix.clock.hidden_steps = 20;
        }
        mix
    }

    fn write(&self, shape: &Shape, path: &Path) -> Result<Truth, BenchError> {
        let mix = self.mix(shape);
        let bar = ProgressBar::new(mix.rows);
        if let Ok(style) =
            ProgressStyle::with_template("{msg} {wide_bar} {human_pos}/{human_len} rows, {eta} left")
        {
            bar.set_style(style);
        }
        bar.set_message(shape.name);
        bar.enable_steady_tick(Duration::from_millis(200));
        let written = write_store(path, &mix, self.seed, &mut |rows| bar.set_position(rows));
        bar.finish_and_clear();
        written.map_err(|source| BenchError::Sqlite {
            doing: "generate",
            path: self.out.clone(),
            source,
        })
    }

    fn write_truth(&self, truth: &Truth, path: &Path) -> Result<(), BenchError> {
        let failed = |source| BenchError::File {
            doing: "write",
            path: path.to_owned(),
            source,
        };
        let mut out = BufWriter::new(File::create_new(path).map_err(failed)?);
        truth
            .write(self.seed, &self.shape, &mut out)
            .and_then(|()| out.flush())
            .map_err(failed)
    }

    fn file(&self, doing: &'static str, source: std::io::Error) -> BenchError {
        if source.kind() == std::io::ErrorKind::AlreadyExists {
            return BenchError::OutputExists {
                path: self.out.clone(),
            };
        }
        BenchError::File {
            doing,
            path: self.out.clone(),
            source,
        }
    }
}
