//! A healthy session for the tests of checks, which each break one thing in it.

use std::path::PathBuf;

use super::conversation::{Count, Tally};
use super::databases::Stores;
use super::home::{Folder, Home, Selected, config::Config};
use super::lineage::Lineage;
use super::log::{Files, Rollout, RolloutFile, Segment, Spot, Tail};
use super::meta::{First, Head, HistoryMode, Meta};
use super::names::{How, Meant};
use super::projection::Projection;
use super::session::{Opened, Session};
use super::store::{Opening, Row, State};
use crate::check::Verdict;
use crate::evidence::Says;

/// The session's id.
pub(super) const ID: &str = "01a22c09-6eb9-73e1-86db-ba552739e67c";

/// The path of its log.
pub(super) const LOG: &str =
    "/h/.codex/sessions/2026/11/30/rollout-2026-11-30T10-39-05-01a22c09-6eb9-73e1-86db-ba552739e67c.jsonl";

/// A turn that is whole, with its row and its log.
pub(super) fn session() -> Session {
    Session {
        argument: ID.to_owned(),
        id: Ok(ID.to_owned()),
        meant: Meant::One {
            id: ID.to_owned(),
            how: How::Id,
        },
        cwd: PathBuf::from("/w"),
        home: home(),
        stores: stores(),
        files: Files {
            rollouts: vec![file(LOG, Spot::Dated)],
            complete: true,
            ..Files::default()
        },
        host_log: None,
        unpacks: true,
        numbers_records: true,
        keeps_provider: true,
        is_last_known: false,
        nearest: vec![],
        sees_store: true,
        log: Some(opened()),
        twins: vec![],
        last: None,
        taken_up: None,
        writer: None,
        cannot_lock: None,
        cannot_start: None,
        asks_to_sign_in: false,
        is_in_own_folder: true,
        elsewhere: None,
        stranger: None,
        other_homes: vec![],
        looked_at: vec![],
        traces: vec![],
    }
}

/// A file with the session's id in its name.
pub(super) fn file(path: &str, spot: Spot) -> RolloutFile {
    let path = PathBuf::from(path);
    let is_compressed = path.extension().is_some_and(|ending| ending == "zst");
    RolloutFile {
        id: ID.to_owned(),
        path,
        spot,
        is_compressed,
        is_symlink: false,
    }
}

fn home() -> Home {
    Home {
        path: PathBuf::from("/h/.codex"),
        selected: Selected::Default,
        folder: Folder::Directory,
        config: Config::read("model_provider = \"p\"\n[model_providers.p]\nname = \"p\"\n")
            .map_or(Says::Absent, Says::Read),
        sqlite_folder: PathBuf::from("/h/.codex"),
        is_readable: true,
        is_writable: true,
    }
}

fn stores() -> Stores {
    let row = Row {
        id: ID.to_owned(),
        rollout_path: PathBuf::from(LOG),
        history_mode: "paginated".to_owned(),
        model_provider: "p".to_owned(),
        cwd: "/w".to_owned(),
        source: "cli".to_owned(),
        preview: "hello".to_owned(),
        title: "hello".to_owned(),
        updated_at_ms: 1,
        cli_version: "0.171.0".to_owned(),
        ..Row::default()
    };
    Stores {
        state: Opening::Read(State {
            migrations: Some(vec![]),
            has_threads: true,
            newest: vec![row.clone()],
            row: Some(row),
            rows: 1,
            ..State::default()
        }),
        held: None,
        projection: Opening::Read(Projection {
            migrations: Some(vec![]),
            cursor: Some((1000, 14)),
            prompts: 1,
            replies: 1,
            ..Projection::default()
        }),
        projection_held: None,
        sides: vec![],
        second: None,
        is_writable: true,
        generations: vec![],
    }
}

fn opened() -> Opened {
    let one = Tally {
        prompts: 1,
        replies: 1,
    };
    let count = Count {
        recorded: one,
        reachable: one,
        loaded: one,
        ..Count::default()
    };
    Opened {
        path: PathBuf::from(LOG),
        rollout: Says::Read(rollout()),
        real_path: PathBuf::from(LOG),
        lineage: Lineage {
            segments: vec![Segment {
                path: PathBuf::from(LOG),
                end_byte_offset: None,
            }],
            broken: None,
        },
        count: Some(Says::Read(count)),
        own_count: None,
        is_writable: true,
        is_visible: true,
        age_ms: 60_000,
    }
}

fn rollout() -> Rollout {
    Rollout {
        path: PathBuf::from(LOG),
        bytes: 1000,
        modified: jiff::Timestamp::UNIX_EPOCH,
        head: Head::Meta(Box::new(Meta {
            id: ID.to_owned(),
            timestamp: "2026-11-30T10:39:05.405Z".to_owned(),
            cwd: "/w".to_owned(),
            cli_version: "0.171.0".to_owned(),
            source: Some("cli".to_owned()),
            model_provider: Some("p".to_owned()),
            history_mode: HistoryMode::Paginated,
            history_base: None,
            own_start_ordinal: None,
        })),
        first: First::Meta,
        is_pre_envelope: false,
        tail: Tail::Numbered(13),
        last_cwd: Some("/w".to_owned()),
    }
}

/// Changes the row.
pub(super) fn row(session: &mut Session, change: impl FnOnce(&mut Row)) {
    state(session, |state| {
        if let Some(row) = &mut state.row {
            change(row);
        }
    });
}

/// Changes the state database.
pub(super) fn state(session: &mut Session, change: impl FnOnce(&mut State)) {
    if let Opening::Read(state) = &mut session.stores.state {
        change(state);
    }
}

/// Changes what was read of the log.
pub(super) fn log(session: &mut Session, change: impl FnOnce(&mut Rollout)) {
    if let Some(Opened {
        rollout: Says::Read(rollout),
        ..
    }) = &mut session.log
    {
        change(rollout);
    }
}

/// Changes how the log was opened.
pub(super) fn open(session: &mut Session, change: impl FnOnce(&mut Opened)) {
    if let Some(opened) = &mut session.log {
        change(opened);
    }
}

/// Changes the messages that were counted.
pub(super) fn count(session: &mut Session, change: impl FnOnce(&mut Count)) {
    open(session, |opened| {
        if let Some(Says::Read(count)) = &mut opened.count {
            change(count);
        }
    });
}

/// What a check is expected to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The fault is there.
    Found,
    /// It is not.
    Pass,
    /// It could not be established.
    Unknown,
}

/// A row of a check's table: what it is about, what is broken, what the check answers.
pub(super) type Case = (&'static str, fn(&mut Session), Answer);

/// Runs a check on every row of its table.
pub(super) fn answers(run: fn(&Session) -> Verdict, cases: &[Case]) {
    for (name, break_it, expected) in cases {
        let mut session = session();
        break_it(&mut session);
        let answer = match run(&session) {
            Verdict::Found(_) => Answer::Found,
            Verdict::Pass => Answer::Pass,
            Verdict::Unknown(_) => Answer::Unknown,
        };
        assert_eq!(answer, *expected, "{name}");
    }
}
