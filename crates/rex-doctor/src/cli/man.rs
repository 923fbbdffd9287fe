//! `man`: the manual page, for packagers.

use clap::Args;

use super::{Failure, Ready};
use crate::exit_status::ExitStatus;

/// Print the manual page.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct Arguments {}

pub(super) fn run(_: &Arguments, ready: &mut Ready<'_>) -> Result<ExitStatus, Failure> {
    clap_mangen::Man::new(super::command()).render(&mut ready.out)?;
    Ok(ExitStatus::Healthy)
}
