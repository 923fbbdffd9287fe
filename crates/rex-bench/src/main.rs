//! The `rex-bench` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(rex_bench::cli::main(std::env::args_os()))
}
