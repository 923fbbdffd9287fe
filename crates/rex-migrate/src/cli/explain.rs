//! `rex-migrate explain`

use std::path::PathBuf;

use rex_store::handle::Handle91;
use schemars::JsonSchema;
use serde::Serialize;

use super::table::{grid, pair, pairs};
use super::{CliError, Session};
use crate::error::MigrateError;
use crate::explain::{self, Explanation, Members};
use crate::family;
use crate::look::Depth;
use crate::step::Options;

/// Say which run took a message in and which node it became, by which rule, with the evidence. Leaves no trace
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rex-migrate explain bots.db Bob/7                  one message
  rex-migrate explain bots.db --list without_turn    every message without a run")]
pub(super) struct Arguments {
    /// The store, before or after its upgrade.
    store: PathBuf,
    /// The message, as BOT/N.
    #[arg(value_name = "BOT/N", required_unless_present = "list")]
    message: Option<String>,
    /// List every number of a class of the receipt.
    #[arg(long, value_name = "CLASS", conflicts_with = "message", long_help = LIST)]
    list: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

const LIST: &str = "List every number of a class of the receipt: own, a, b, c, d, e, without_turn, without_node, \
     clock_unsafe_bots, disagreements, unreadable_payloads or dead_handles.";

/// What `explain BOT/N --json` prints.
#[derive(Serialize, JsonSchema)]
pub struct ExplanationRecord {
    /// `rex-migrate.explain/1`.
    schema: &'static str,
    /// The explanation.
    #[serde(flatten)]
    explanation: Explanation,
}

#[derive(Serialize)]
struct ClassRecord<'a> {
    schema: &'static str,
    class: &'a str,
    numbers: Vec<i64>,
}

const SCHEMA: &str = "rex-migrate.explain/1";

pub(super) fn run(arguments: &Arguments, session: &mut Session<'_>) -> Result<(), CliError> {
    let name = arguments.message.as_deref().map(parse).transpose()?;
    let look = session.engine(family::DAEMON, true).look(
        &arguments.store,
        &Options { keep_unknown: true },
        Depth::Header,
    )?;
    let Some(reader) = look.reader.as_ref().filter(|_| look.is_of_family()) else {
        return Err(MigrateError::Refused {
            refusals: look.refusals,
        }
        .into());
    };
    let connection = reader.connection();
    if let Some(class) = &arguments.list {
        let numbers = match explain::class(connection, class)? {
            Members::Numbers(numbers) => numbers,
            Members::Gone => return Err(CliError::Gone { class: class.clone() }),
            Members::NoSuchClass => return Err(CliError::Class { class: class.clone() }),
        };
        if arguments.json {
            return session.say_json(&ClassRecord {
                schema: SCHEMA,
                class,
                numbers,
            });
        }
        return numbers
            .iter()
            .try_for_each(|number| session.say(&number.to_string()));
    }
    let Some((bot, number)) = name else { return Ok(()) };
    let found = explain::message(connection, bot, number)?;
    let explanation = found.ok_or_else(|| CliError::NoSuchMessage {
        name: format!("{bot}/{number}"),
    })?;
    if arguments.json {
        session.say_json(&ExplanationRecord {
            schema: SCHEMA,
            explanation,
        })
    } else {
        session.say(&text(&explanation))
    }
}

fn parse(text: &str) -> Result<(&str, i64), CliError> {
    match Handle91::parse(text) {
        Some(Handle91::Message { bot, number }) => Ok((bot, number)),
        _ => Err(CliError::Handle {
            text: text.to_owned(),
        }),
    }
}

fn text(explanation: &Explanation) -> String {
    let known =
        |number: Option<i64>| number.map_or_else(|| "not known".to_owned(), |number| number.to_string());
    let mut rows = vec![
        pair(
            "message",
            format!("{}/{}", explanation.message.bot, explanation.message.number),
        ),
        pair("status", &explanation.status),
        pair(
            "turn",
            format!("{} (rule {})", known(explanation.turn), explanation.turn_rule),
        ),
        pair(
            "node",
            format!("{} (rule {})", known(explanation.node), explanation.node_rule),
        ),
    ];
    rows.extend(explanation.why_not.as_ref().map(|why| pair("why not", why)));
    let mut text = pairs(rows);
    if !explanation.evidence.is_empty() {
        let evidence = explanation.evidence.iter().map(|seen| {
            let value = seen.value.to_string();
            [
                seen.table.clone(),
                seen.id.to_string(),
                seen.column.clone(),
                value,
                seen.says.clone(),
            ]
        });
        text.push_str("\n\n");
        text.push_str(&grid(
            ["table", "id", "column", "value", "says"],
            &[1],
            evidence.collect(),
        ));
    }
    text
}
