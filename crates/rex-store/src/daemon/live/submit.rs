//! A message is sent: it opens a run, waits in line, is known already, or is refused before a byte is written.

use rusqlite::{Connection, ErrorCode, params};
use serde::Serialize;

use super::LiveWriter;
use super::announce::{About, announce};
use super::host::{Host, has_free_slot};
use super::start::{self, Opening};
use crate::daemon::message::MessageStatus;
use crate::daemon::refusal::Refusal;
use crate::daemon::resend::{Request, Resent, resend};
use crate::daemon::sequence::next_number;
use crate::daemon::statement::Statement;
use crate::error::StoreError;

const MESSAGE: Statement = Statement::new(
    "submit.message",
    "write a message",
    "INSERT INTO messages(number, bot, request_id, words, words_node, quotes, pictures, from_bot, from_turn, from_id,
        origin, delivery, expected_turn, workspace, model, effort, inherited_effort, status, turn, node, sent_ms,
        taken_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
        CASE WHEN ?16 IS NULL THEN (SELECT coalesce(effort, inherited_effort) FROM messages WHERE number = ?9) END,
        ?17, ?18, ?19, ?20, ?21)",
);
const RETAINED: Statement = Statement::new(
    "submit.retained",
    "write a message's row of retention",
    "INSERT INTO retained_messages(message, bot) VALUES (?1, ?2)",
);

pub(in crate::daemon) const STATEMENTS: &[Statement] = &[MESSAGE, RETAINED];

/// Words of so many bytes are kept in their node alone once they have one.
pub const HELD_BYTES: usize = 4096;

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submitted {
    /// It opened this run, whose number is its own.
    Started {
        /// The number.
        turn: i64,
    },
    /// It waits.
    InLine {
        /// Its number.
        number: i64,
        /// `queued`, `attached`, or `ready` if the bot is idle and no slot is free.
        status: MessageStatus,
    },
    /// It was submitted before; nothing was written.
    Resent(Resent),
}

impl LiveWriter {
    /// Submits a request. Known already, it keeps its number. An idle bot starts with it if a slot is free; `attach`
    /// always waits for the next run. Events `accepted` or `queued`. A message that names no effort
    /// takes over that of the run that sends it.
    ///
    /// # Errors
    /// [`StoreError::Refused`] (before a byte is written), [`StoreError::IdempotencyConflict`],
    /// [`StoreError::SequenceExhausted`], [`StoreError::SingletonMissing`], [`StoreError::WriterDead`],
    /// [`StoreError::Sqlite`].
    pub fn submit(&mut self, request: &Request<'_>, now_ms: i64) -> Result<Submitted, StoreError> {
        if let Some(resent) = resend(self.read().connection(), request)? {
            return Ok(Submitted::Resent(resent));
        }
        let slots = self.slots;
        let done = self.transact(|connection| {
            let (host, place) = admit(connection, request, slots)?;
            match place {
                None => open(connection, &host, request, now_ms),
                Some(status) => line_up(connection, request, status, now_ms),
            }
        });
        match done {
            // Another process was faster with the same request.
            Err(error) if is_taken(&error) => match resend(self.read().connection(), request)? {
                Some(resent) => Ok(Submitted::Resent(resent)),
                None => Err(error),
            },
            done => done,
        }
    }
}

fn is_taken(error: &StoreError) -> bool {
    let StoreError::Sqlite { source, .. } = error else {
        return false;
    };
    source.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
}

/// Judges a new request: where it would wait, or `None` if it starts at once.
fn admit<'a>(
    connection: &Connection,
    request: &Request<'a>,
    slots: u32,
) -> Result<(Host<'a>, Option<MessageStatus>), StoreError> {
    let host = Host::find(connection, request.bot)?;
    let is_busy = host.running_turn.is_some() || host.ready(connection)?.is_some();
    let rejects = request.delivery == "reject";
    let place = match request.delivery {
        "attach" => Some(MessageStatus::Attached),
        "reject" if is_busy => return Err(Refusal::BotBusy.into()),
        "reject" | "queue" | "steer" if !is_busy => None,
        "queue" | "steer" => Some(MessageStatus::Queued),
        _ => return Err(Refusal::DeliveryUnknown.into()),
    };
    if let Some(turn) = request.expected_turn {
        if request.delivery != "steer" {
            return Err(Refusal::ExpectedTurnMisplaced.into());
        }
        if host.running_turn != Some(turn) {
            return Err(Refusal::StaleTurn.into());
        }
    }
    let waits_for_slot = place.is_none() && !has_free_slot(connection, slots)?;
    if waits_for_slot && rejects {
        return Err(Refusal::ActiveAgentLimit.into());
    }
    if host.is_exhausted {
        return Err(Refusal::BudgetExhausted.into());
    }
    if request.workspace.is_none() && host.workspace.is_none() {
        return Err(Refusal::WorkspaceRequired.into());
    }
    if std::str::from_utf8(request.words).is_err() {
        return Err(Refusal::WordsNotText.into());
    }
    Ok((
        host,
        if waits_for_slot {
            Some(MessageStatus::Ready)
        } else {
            place
        },
    ))
}

/// A message that starts at once is written as taken: it is never in line.
fn open(
    connection: &Connection,
    host: &Host<'_>,
    request: &Request<'_>,
    now_ms: i64,
) -> Result<Submitted, StoreError> {
    let number = next_number(connection)?;
    let opening = Opening {
        number,
        request_id: request.request_id,
        words: &String::from_utf8_lossy(request.words),
        sender: request.sender,
    };
    let tip = start::first_node(connection, host, &opening)?;
    let filled = Request {
        workspace: request.workspace.or(host.workspace.as_deref()),
        model: request.model.or(Some(&host.model)),
        ..*request
    };
    let place = Place {
        status: MessageStatus::Taken,
        taken: Some((number, tip.node, now_ms)),
    };
    write(connection, number, &filled, &place, now_ms)?;
    let run = start::run(host, &opening, filled.workspace, filled.model);
    start::go(connection, &run, &opening, tip, now_ms)?;
    Ok(Submitted::Started { turn: number })
}

fn line_up(
    connection: &Connection,
    request: &Request<'_>,
    status: MessageStatus,
    now_ms: i64,
) -> Result<Submitted, StoreError> {
    let number = next_number(connection)?;
    write(
        connection,
        number,
        request,
        &Place { status, taken: None },
        now_ms,
    )?;
    let data = Queued {
        request_id: request.request_id,
        status: status.as_str(),
        delivery: request.delivery,
        expected_turn: request.expected_turn,
        from: request.sender.bot,
        origin: request.sender.origin,
    };
    announce(connection, About::message(request.bot, number), "queued", &data)?;
    Ok(Submitted::InLine { number, status })
}

/// Where a new message goes: in line, or into the run that it opens at its node and time.
struct Place {
    status: MessageStatus,
    taken: Option<(i64, i64, i64)>,
}

fn write(
    connection: &Connection,
    number: i64,
    request: &Request<'_>,
    place: &Place,
    now_ms: i64,
) -> Result<(), StoreError> {
    let words = String::from_utf8_lossy(request.words);
    let held = place.taken.filter(|_| words.len() >= HELD_BYTES);
    MESSAGE.execute(
        connection,
        params![
            number,
            request.bot,
            request.request_id,
            if held.is_some() { "" } else { &words },
            held.map(|(_, node, _)| node),
            request.quotes,
            request.pictures,
            request.sender.bot,
            request.sender.turn,
            request.sender.id,
            request.sender.origin,
            request.delivery,
            request.expected_turn,
            request.workspace,
            request.model,
            request.effort,
            place.status.as_str(),
            place.taken.map(|(turn, _, _)| turn),
            place.taken.map(|(_, node, _)| node),
            now_ms,
            place.taken.map(|(_, _, taken_ms)| taken_ms),
        ],
    )?;
    RETAINED.execute(connection, (number, request.bot))?;
    Ok(())
}

#[derive(Serialize)]
struct Queued<'a> {
    request_id: &'a str,
    status: &'a str,
    delivery: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_turn: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'a str>,
}
