//! `rex-migrate verify`

use std::path::PathBuf;

use super::table::{grid, pair, pairs};
use super::{CliError, Session};
use crate::verify::Verification;

/// Check a store again: schema, references, integrity, and the facts of its upgrade. Leaves no trace
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rex-migrate verify bots.db                                                 against its newest receipt
  rex-migrate verify bots.db --against bots.db.backup-v90-20261130T120000Z   against the old content itself")]
pub(super) struct Arguments {
    /// The store.
    store: PathBuf,
    /// Hold it against this backup, row by row, instead of the receipt.
    #[arg(long, value_name = "BACKUP")]
    against: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, session: &mut Session<'_>) -> Result<(), CliError> {
    let verification = session
        .engine(session.family(&arguments.store), false)
        .verify(&arguments.store, arguments.against.as_deref())?;
    if arguments.json {
        session.say_json(&verification)?;
    } else {
        session.say(&text(&verification))?;
    }
    if verification.holds {
        Ok(())
    } else {
        Err(CliError::Differs {
            store: verification.store,
        })
    }
}

fn text(verification: &Verification) -> String {
    let verdict = |faults: &[String]| {
        if faults.is_empty() {
            "as it should be".to_owned()
        } else {
            faults.join("\n")
        }
    };
    let held = match (&verification.against, &verification.receipt) {
        (Some(backup), _) => backup.display().to_string(),
        (None, Some(receipt)) => receipt.display().to_string(),
        (None, None) => "nothing: no receipt lies beside it, and no backup was named".to_owned(),
    };
    let mut text = pairs([
        pair(
            "store",
            format!(
                "{}, version {}",
                verification.store.display(),
                verification.version
            ),
        ),
        pair("schema", verdict(&verification.schema_differences)),
        pair("references", verdict(&verification.dangling_rows)),
        pair("integrity", verdict(&verification.damage)),
        pair("content held against", held),
    ]);
    if !verification.tables.is_empty() {
        let facts = verification.tables.iter().map(|proof| {
            let verdict = if proof.holds() { "equal" } else { "differs" };
            let [before, after] = [proof.rows_before, proof.rows_after].map(|rows| rows.to_string());
            [
                proof.name.clone(),
                before,
                after,
                verdict.to_owned(),
                proof.rule.clone(),
            ]
        });
        text.push_str("\n\n");
        text.push_str(&grid(
            ["table", "rows before", "rows after", "content", "rule"],
            &[1, 2],
            facts.collect(),
        ));
    }
    text
}
