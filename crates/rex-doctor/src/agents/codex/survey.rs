//! Surveys the effective home: its own faults, and every session in it with what `codex exec resume` would do.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::client::{self, Rules, Surface};
use super::gather;
use super::home::{self, Folder};
use super::log::{self, Files, RolloutFile};
use super::names::{How, Meant};
use super::projection::Projection;
use super::session::Session;
use super::store::{self, Opening, Row, State};
use super::{AGENT, CHECKS, diagnosis, shelf};
use crate::agents::Ask;
use crate::check::{Check, Finding, judge};
use crate::diagnosis::{Client, Home as ShownHome, SessionLine, Survey, VersionFrom};
use crate::evidence::Says;
use crate::place::Place;
use crate::scan;

/// Logs up to this size are read whole: their head and tail are all of them.
const READ_WHOLE_BYTES: u64 = 128 << 10;

/// Checks of the home as a whole, beside all those of the witness `home`.
const OF_THE_HOME: &[&str] = &[
    "codex.store.unreadable",
    "codex.store.migration_altered",
    "codex.store.migration_dirty",
    "codex.store.schema_differs",
    "codex.store.schema_newer",
    "codex.store.locked",
    "codex.store.backfill_stuck",
    "codex.store.read_only",
    "codex.store.history_db_damaged",
    "codex.store.side_damaged",
    "codex.client.default_provider_unknown",
    "codex.client.not_signed_in",
    "codex.client.versions_mixed",
];

fn is_of_the_home(check: &Check<Session>) -> bool {
    let id = check.about.id;
    OF_THE_HOME.contains(&id) || (id.starts_with("codex.home.") && id != "codex.home.elsewhere")
}

/// What is asked of every session.
struct Questions<'a> {
    place: &'a Place,
    ask: &'a Ask,
    rules: &'a Rules,
    files: &'a Files,
    base: Session,
    is_blind: bool,
    checks: Vec<Check<Session>>,
}

/// One session: its row, its files.
struct Item {
    id: String,
    row: Option<Row>,
    files: Vec<RolloutFile>,
}

/// Surveys the home.
pub(super) fn survey(place: &Place, ask: &Ask) -> Survey {
    let home = home::home(place);
    let files = log::files(place, &home.path);
    let rows = store::all_rows(place, &home.state_db());
    let (version, from) = match (&ask.client_version, diagnosis::newest_of(&rows)) {
        (Some(version), _) => (version.clone(), VersionFrom::Flag),
        (None, Some(version)) => (version, VersionFrom::Home),
        (None, None) => (client::newest_version(), VersionFrom::Known),
    };
    let rules = client::rules(&version).1;
    let whole = gather::of_home(place, rules, &home, &files);
    let (of_home, of_session): (Vec<_>, Vec<_>) = CHECKS
        .iter()
        .map(|check| Check {
            about: check.about,
            run: check.run,
        })
        .partition(is_of_the_home);
    let items = items(rows, &files);
    let questions = Questions {
        place,
        ask,
        rules,
        files: &files,
        is_blind: client::blinds_exec(&whole, rules),
        base: bare(&whole),
        checks: of_session,
    };
    let lines = scan::each(&items, place.workers(), |item| line(&questions, item));
    Survey {
        agent: AGENT.name,
        home: ShownHome {
            path: home.path.display().to_string(),
            from: home.from(),
            others: whole
                .other_homes
                .iter()
                .map(|path| path.display().to_string())
                .collect(),
        },
        exists: home.folder == Folder::Directory,
        client: Client {
            version: version.to_string(),
            from,
        },
        findings: judge(&of_home, &whole),
        sessions: lines.into_iter().flatten().collect(),
        complete: files.complete,
    }
}

fn items(rows: Vec<Row>, files: &Files) -> Vec<Item> {
    let mut items: BTreeMap<String, Item> = BTreeMap::new();
    let empty = |id: &str| Item {
        id: id.to_owned(),
        row: None,
        files: vec![],
    };
    for file in &files.rollouts {
        items
            .entry(file.id.clone())
            .or_insert_with(|| empty(&file.id))
            .files
            .push(file.clone());
    }
    for row in rows {
        let id = row.id.clone();
        items.entry(id.clone()).or_insert_with(|| empty(&id)).row = Some(row);
    }
    items.into_values().collect()
}

/// The home without what belongs to a session, small enough to be copied for each.
fn bare(whole: &Session) -> Session {
    let mut base = whole.clone();
    base.files = Files {
        complete: true,
        ..Files::default()
    };
    if let Opening::Read(state) = &mut base.stores.state {
        state.newest = vec![];
        state.row = None;
    }
    if let Opening::Read(projection) = &mut base.stores.projection {
        *projection = Projection {
            cursor: None,
            prompts: 0,
            replies: 0,
            ..projection.clone()
        };
    }
    base
}

fn line(questions: &Questions<'_>, item: &Item) -> Option<SessionLine> {
    let session = of_item(questions, item);
    let folder = folder(&session);
    let is_here = |here: &std::path::Path| {
        folder
            .as_ref()
            .is_some_and(|folder| shelf::is_same_folder(questions.place, std::path::Path::new(folder), here))
    };
    if questions.ask.here.as_deref().is_some_and(|here| !is_here(here)) {
        return None;
    }
    let findings: Vec<Finding> = judge(&questions.checks, &session);
    let blind = questions
        .is_blind
        .then(|| gather::without_store(questions.place, &session, questions.rules));
    let seen = blind.as_ref().unwrap_or(&session);
    let forecast = diagnosis::because(client::forecast(seen, Surface::Exec, questions.rules), &findings);
    let row = item.row.as_ref();
    Some(SessionLine {
        agent: AGENT.name,
        session: item.id.clone(),
        title: row.map(|row| row.title.clone()).filter(|title| !title.is_empty()),
        folder,
        last_activity: last_activity(&session, row),
        home: session.home.path.display().to_string(),
        store: diagnosis::store(&session).state,
        log: diagnosis::log_of(&session).state,
        forecast,
        read_whole: session
            .log
            .as_ref()
            .is_none_or(|log| log.count.is_some() || !log.rollout.is_read()),
        findings: sorted(findings),
    })
}

fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

fn of_item(questions: &Questions<'_>, item: &Item) -> Session {
    let mut session = questions.base.clone();
    session.argument.clone_from(&item.id);
    session.id = Ok(item.id.clone());
    session.meant = Meant::One {
        id: item.id.clone(),
        how: How::Id,
    };
    session.files.rollouts.clone_from(&item.files);
    if let Opening::Read(State { row, .. }) = &mut session.stores.state {
        row.clone_from(&item.row);
    }
    let path = client::lookup::path(&session, questions.rules);
    session.log = path.map(|path| {
        let bytes = questions.place.stat(&path).read().map_or(0, |stat| stat.bytes);
        let counts = questions.ask.deep || bytes <= READ_WHOLE_BYTES;
        gather::opened(questions.place, questions.files, &path, counts)
    });
    gather::lock(questions.place, &mut session, &item.id);
    session
}

fn folder(session: &Session) -> Option<String> {
    let by_log = session.rollout().and_then(|rollout| {
        rollout
            .last_cwd
            .clone()
            .or_else(|| rollout.meta().map(|meta| meta.cwd.clone()))
    });
    by_log
        .or_else(|| session.row().map(|row| row.cwd.clone()))
        .filter(|folder| !folder.is_empty())
}

fn last_activity(session: &Session, row: Option<&Row>) -> Option<Timestamp> {
    let by_row = row.and_then(|row| Timestamp::from_millisecond(row.updated_at_ms).ok());
    by_row.or_else(|| match &session.log.as_ref()?.rollout {
        Says::Read(rollout) => rollout.meta()?.timestamp.parse().ok(),
        Says::Absent | Says::Unreadable(_) => None,
    })
}
