//! `rex-bench generate review … OUT.db`

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rusqlite::Connection;

use super::{folder, store};
use crate::error::BenchError;
use crate::generate::review::{self, Generation, Sizes};

const AFTER_HELP: &str = "\
Examples:
  rex-bench generate review --seed 1 rex.db
  rex-bench generate review --threads 1000 --messages 40000 --generation 13 --seed 1 rex.db";

/// Generate a review store
///
/// The same sizes, generation and seed give the same content on every machine. The store is written beside OUT and gets
/// its name when it is whole; an existing file is never overwritten.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Review {
    /// The file to write
    out: PathBuf,
    /// Comments
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    threads: u64,
    /// Messages of all comments together
    #[arg(long, default_value_t = 400_000, value_parser = clap::value_parser!(u64).range(0..=100_000_000))]
    messages: u64,
    /// The generation of the store
    #[arg(long, default_value = "7", value_parser = ["7", "13"])]
    generation: String,
    /// Where chance begins
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Review {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        if self.out.symlink_metadata().is_ok() {
            return Err(BenchError::OutputExists {
                path: self.out.clone(),
            });
        }
        let temporary = tempfile::Builder::new()
            .prefix(".rex-bench-")
            .tempfile_in(folder(&self.out))
            .map_err(|source| self.file("create a file beside", source))?;
        self.write(temporary.path())
            .map_err(|source| BenchError::Sqlite {
                doing: "generate",
                path: self.out.clone(),
                source,
            })?;
        temporary
            .persist_noclobber(&self.out)
            .map_err(|failed| self.file("name", failed.error))?;
        Ok(())
    }

    fn write(&self, path: &Path) -> rusqlite::Result<()> {
        let generation = match self.generation.as_str() {
            "13" => Generation::G13,
            _ => Generation::G7,
        };
        let sizes = Sizes {
            threads: self.threads,
            messages: self.messages,
            generation,
        };
        let bar = ProgressBar::new(self.messages);
        if let Ok(style) =
            ProgressStyle::with_template("review {wide_bar} {human_pos}/{human_len} messages, {eta} left")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let fill = |store: &Connection| {
            review::generate(store, &sizes, self.seed, &mut |messages| {
                bar.set_position(messages);
            })
        };
        let written = store::fill(path, fill);
        bar.finish_and_clear();
        written
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
