//! What the command line prints when it cannot do what it was asked.

use std::error::Error as _;
use std::io::{self, Write};
use std::path::PathBuf;

use owo_colors::OwoColorize as _;

use crate::error::MigrateError;
use crate::step::StepError;

/// Why a command ended without doing what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The engine says why.
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    /// The store cannot be explained.
    #[error(transparent)]
    Explain(#[from] StepError),
    /// No terminal, and no `--yes`.
    #[error("nobody is there to be asked whether to write")]
    NobodyToAsk,
    /// The person said no.
    #[error("nothing was changed, as you said")]
    Declined,
    /// A verified store differs.
    #[error("{} differs", store.display())]
    Differs {
        /// The store.
        store: PathBuf,
    },
    /// A name is no name of a message.
    #[error("{text} is no name of a message")]
    Handle {
        /// What was given.
        text: String,
    },
    /// The store has no such message.
    #[error("there is no message {name}")]
    NoSuchMessage {
        /// What was asked for.
        name: String,
    },
    /// There is no such class.
    #[error("there is no class {class}")]
    Class {
        /// What was given.
        class: String,
    },
    /// The upgraded store no longer says what belonged to a class.
    #[error("the upgraded store no longer says which {class} there were")]
    Gone {
        /// The class.
        class: String,
    },
    /// No schema of that version is known.
    #[error("version {version} is not known")]
    Version {
        /// What was given.
        version: i64,
    },
    /// A fixture cannot be loaded.
    #[error("cannot load {}", path.display())]
    Script {
        /// The fixture.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// What was found could not be printed.
    #[error("cannot write the output")]
    Output {
        /// The system's reason.
        #[source]
        source: io::Error,
    },
}

/// The classes of a receipt, as `explain --list` takes them.
pub(super) const CLASSES: &str = "own, a, b, c, d, e, without_turn, without_node, clock_unsafe_bots, disagreements, \
     unreadable_payloads, dead_handles";

impl CliError {
    /// The one thing to do next, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Migrate(error) => error.hint(),
            Self::NobodyToAsk => Some("add --yes, or --dry-run to try it on a private copy".to_owned()),
            Self::Differs { .. } => Some(
                "if it was not used since its upgrade, put the old one back: rex-migrate restore STORE"
                    .to_owned(),
            ),
            Self::Handle { .. } => Some("a message is named BOT/N, e.g. Bob/7".to_owned()),
            Self::NoSuchMessage { .. } => Some("a number belongs to one bot only; check both".to_owned()),
            Self::Class { .. } => Some(format!("the classes are {CLASSES}")),
            Self::Gone { .. } => {
                Some("ask the backup instead, or read the first few in the receipt".to_owned())
            }
            Self::Version { .. } => Some("leave --version out for the newest".to_owned()),
            Self::Script { .. } => Some("a fixture is SQL text that creates a whole store".to_owned()),
            Self::Explain(_) | Self::Declined | Self::Output { .. } => None,
        }
    }

    /// Prints `error:`, each `caused by:` and the `hint:`, a line each.
    pub(super) fn print(&self, err: &mut dyn Write) -> io::Result<()> {
        writeln!(err, "{} {self}", "error:".red().bold())?;
        let mut source = self.source();
        while let Some(cause) = source {
            // SQLite quotes the statement as it was written, over several lines.
            let line = cause.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
            writeln!(err, "{} {line}", "caused by:".red())?;
            source = cause.source();
        }
        match self.hint() {
            Some(hint) => writeln!(err, "{} {hint}", "hint:".cyan()),
            None => Ok(()),
        }
    }
}
