//! The `rex-migrate` command: hands the terminal, the clock and the arguments to the library.

use std::io::{self, BufReader, IsTerminal as _};
use std::process::ExitCode;
use std::sync::Arc;

use rex_migrate::cli::{self, Session, bar::Bar};
use rex_migrate::clock::SystemClock;
use rex_migrate::files::SystemFiles;
use rex_migrate::progress::{Progress, Silent};

fn main() -> ExitCode {
    let at_terminal = io::stderr().is_terminal();
    let progress: Arc<dyn Progress> = if at_terminal {
        Arc::new(Bar::new())
    } else {
        Arc::new(Silent)
    };
    let mut session = Session {
        out: Box::new(anstream::stdout()),
        err: Box::new(anstream::stderr()),
        input: Box::new(BufReader::new(io::stdin())),
        can_ask: at_terminal && io::stdin().is_terminal(),
        scratch: std::env::temp_dir(),
        clock: &SystemClock,
        files: &SystemFiles,
        progress,
    };
    ExitCode::from(cli::main(std::env::args_os(), &mut session))
}
