//! `rex-bench generate sessions … OUT_HOME`

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::folder;
use crate::error::BenchError;
use crate::generate::sessions::{self, Sizes};

const AFTER_HELP: &str = "\
Example:
  rex-bench generate sessions --claude 1000 --codex 1000 --bytes 500MB --seed 1 /tmp/home
  rex-doctor check --home /tmp/home";

/// Generate a home with healthy sessions of Claude Code and Codex
///
/// Many sessions are small and some have tens of megabytes. The stores name files below the home, so the home must stay
/// where it is. It is written beside it and gets its name when it is whole; nothing is ever overwritten.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Sessions {
    /// The folder to write
    out: PathBuf,
    /// Sessions of Claude Code
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    claude: u64,
    /// Sessions of Codex
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    codex: u64,
    /// Size of all logs together, about: 500MB, 64KiB, 1000
    #[arg(long, default_value = "500MB", value_parser = parse_bytes)]
    bytes: u64,
    /// Where chance begins
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Sessions {
    pub(super) fn run(&self) -> Result<(), BenchError> {
        if self.out.symlink_metadata().is_ok() {
            return Err(BenchError::OutputExists {
                path: self.out.clone(),
            });
        }
        let failed = |source| BenchError::File {
            doing: "create a folder beside",
            path: self.out.clone(),
            source,
        };
        let parent = folder(&self.out).canonicalize().map_err(failed)?;
        let home = self
            .out
            .file_name()
            .map_or_else(|| parent.clone(), |name| parent.join(name));
        let temporary = tempfile::Builder::new()
            .prefix(".rex-bench-")
            .tempdir_in(&parent)
            .map_err(failed)?;
        let bar = ProgressBar::new(self.bytes);
        if let Ok(style) =
            ProgressStyle::with_template("sessions {wide_bar} {bytes}/{total_bytes}, {eta} left")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let sizes = Sizes {
            claude: self.claude,
            codex: self.codex,
            bytes: self.bytes,
        };
        let done = sessions::generate(temporary.path(), &home, sizes, self.seed, &mut |bytes| {
            bar.set_position(bytes);
        });
        bar.finish_and_clear();
        done?;
        let named = |source| BenchError::File {
            doing: "name",
            path: self.out.clone(),
            source,
        };
        std::fs::rename(temporary.path(), &home).map_err(named)?;
        // The folder has its name now: there is nothing left to remove.
        let _gone = temporary.keep();
        Ok(())
    }
}

/// A number of bytes with an optional unit.
fn parse_bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|character: char| !character.is_ascii_digit());
    let unit = match text.get(digits.len()..).unwrap_or_default() {
        "" | "B" => 1,
        "kB" | "KB" => 1000,
        "KiB" => 1 << 10,
        "MB" => 1_000_000,
        "MiB" => 1 << 20,
        "GB" => 1_000_000_000,
        "GiB" => 1 << 30,
        unit => return Err(format!("unknown unit {unit:?}: use kB, MB, GB, KiB, MiB or GiB")),
    };
    let number: u64 = digits.parse().map_err(|_| "not a number of bytes".to_owned())?;
    number
        .checked_mul(unit)
        .ok_or_else(|| "too many bytes".to_owned())
}

#[cfg(test)]
mod tests {
    use super::parse_bytes;

    #[test]
    fn bytes_are_read_with_their_unit() {
        assert_eq!(parse_bytes("500MB"), Ok(500_000_000));
        assert_eq!(parse_bytes("64KiB"), Ok(65_536));
        assert_eq!(parse_bytes("7"), Ok(7));
        for wrong in ["", "MB", "5 parsecs", "-1", "99999999999GB"] {
            assert!(parse_bytes(wrong).is_err_and(|why| !why.is_empty()), "{wrong}");
        }
    }
}
