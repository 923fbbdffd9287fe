//! The exit statuses of `rex-migrate`: this table is their documentation, and one match decides.

use rex_store::error::StoreError;

use crate::cli::CliError;
use crate::error::MigrateError;

/// Done, or nothing to do.
pub const DONE: u8 = 0;
/// Failed and rolled back; of `verify`: differs.
pub const FAILED: u8 = 1;
/// The command line is wrong.
pub const USAGE: u8 = 2;
/// Refused; nothing has changed.
pub const REFUSED: u8 = 3;
/// There is no such message.
pub const NO_SUCH_MESSAGE: u8 = 4;
/// Another process holds the store; nothing has changed.
pub const HELD: u8 = 5;

/// Every status with its name and what it means.
pub const ALL: [(u8, &str, &str); 6] = [
    (DONE, "done", "The work is done, or there was nothing to do."),
    (
        FAILED,
        "failed",
        "The work failed and was rolled back; for `verify`: the store differs.",
    ),
    (
        USAGE,
        "usage",
        "The command line is wrong; nothing was looked at.",
    ),
    (
        REFUSED,
        "refused",
        "The store is not upgraded as it is; nothing has changed. Also for `status` and `plan`, if `up` would refuse.",
    ),
    (
        NO_SUCH_MESSAGE,
        "no such message",
        "`explain`: the store has no message of that name.",
    ),
    (
        HELD,
        "held",
        "Another process holds the store; nothing has changed. Try again when it has let go.",
    ),
];

/// The status of an error.
pub fn of(error: &CliError) -> u8 {
    match error {
        CliError::Migrate(error) => of_engine(error),
        CliError::Differs { .. } | CliError::Output { .. } | CliError::Explain(_) => FAILED,
        CliError::NobodyToAsk
        | CliError::Handle { .. }
        | CliError::Class { .. }
        | CliError::Version { .. } => USAGE,
        CliError::Declined | CliError::Script { .. } | CliError::Gone { .. } => REFUSED,
        CliError::NoSuchMessage { .. } => NO_SUCH_MESSAGE,
    }
}

fn of_engine(error: &MigrateError) -> u8 {
    match error {
        MigrateError::Refused { .. }
        | MigrateError::Occupied { .. }
        | MigrateError::NoSpace { .. }
        | MigrateError::NoBackup { .. }
        | MigrateError::NoReceipt { .. }
        | MigrateError::NotItsBackup { .. }
        | MigrateError::BackupDamaged { .. }
        | MigrateError::Receipt { .. } => REFUSED,
        MigrateError::Unreadable(StoreError::Held { .. } | StoreError::Moved { .. }) => HELD,
        MigrateError::Unreadable(_) => REFUSED,
        MigrateError::BackupDiffers { .. }
        | MigrateError::Unproven { .. }
        | MigrateError::Uncovered { .. }
        | MigrateError::ForeignKeys { .. }
        | MigrateError::Schema { .. }
        | MigrateError::Commit { .. }
        | MigrateError::Step(_)
        | MigrateError::Store(_)
        | MigrateError::Sqlite { .. }
        | MigrateError::File { .. } => FAILED,
    }
}
