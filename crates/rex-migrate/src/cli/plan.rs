//! `rex-migrate plan`

use std::path::PathBuf;

use super::table::{bytes, grid, pair, pairs};
use super::{CliError, Session};
use crate::error::MigrateError;
use crate::plan::Plan;
use crate::step::Options;

/// Say what an upgrade would do and need. Changes nothing, leaves no trace
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  rex-migrate plan bots.db\n  rex-migrate plan --full --json bots.db")]
pub(super) struct Arguments {
    /// The store.
    store: PathBuf,
    /// Try it on a private copy as well, and say what cannot be attributed.
    #[arg(long)]
    full: bool,
    /// Plan to carry unknown tables, columns, indexes and triggers over.
    #[arg(long)]
    keep_unknown: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments, session: &mut Session<'_>) -> Result<(), CliError> {
    let options = Options {
        keep_unknown: arguments.keep_unknown,
    };
    let plan = session.engine(session.family(&arguments.store), false).plan(
        &arguments.store,
        &options,
        arguments.full,
    )?;
    if arguments.json {
        session.say_json(&plan)?;
    } else {
        session.say(&text(&plan))?;
    }
    match plan.refusals {
        refusals if refusals.is_empty() => Ok(()),
        refusals => Err(MigrateError::Refused { refusals }.into()),
    }
}

/// The plan for a person.
pub(super) fn text(plan: &Plan) -> String {
    let mut rows = vec![pair("store", plan.store.display())];
    match plan.from {
        Some(from) if plan.steps.is_empty() && plan.refusals.is_empty() => {
            rows.push(pair("plan", format!("nothing to do, it is at version {from}")));
        }
        _ => {}
    }
    for step in &plan.steps {
        rows.push(pair(
            "step",
            format!("{} ({} to {})", step.id, step.from, step.to),
        ));
        rows.push(pair("", step.summary));
    }
    if !plan.steps.is_empty() {
        let free = plan
            .disk_free_bytes
            .map_or_else(String::new, |free| format!(", {} are free", bytes(free)));
        rows.push(pair("size", bytes(plan.bytes)));
        rows.push(pair(
            "disk needed",
            format!("at most {}{free}", bytes(plan.disk_needed_bytes)),
        ));
        rows.extend(
            plan.seconds_expected
                .map(|seconds| pair("expected", format!("{seconds:.1} seconds"))),
        );
        if !plan.not_checked.is_empty() {
            rows.push(pair(
                "not looked at",
                format!("{}; add --full", plan.not_checked.join(", ")),
            ));
        }
    }
    let counted = plan.rows.iter().filter(|(_, rows)| **rows > 0);
    let counted: Vec<_> = counted
        .map(|(table, rows)| [table.clone(), rows.to_string()])
        .collect();
    let mut text = pairs(rows);
    if !counted.is_empty() {
        text.push_str("\n\n");
        text.push_str(&grid(["table", "rows"], &[1], counted));
    }
    text.push_str(&super::up::report(&plan.report));
    text
}
