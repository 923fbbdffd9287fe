//! Which session `--continue` picks, and which ones a title means: the client's list of a folder's sessions.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use jiff::Timestamp;
use memchr::memmem;
use rex_store::jsonl::{Ends, Line};

use super::super::graph::{Generation, Graph};
use super::super::home::{Holder, session_of};
use super::super::key;
use super::super::log::{Facts, Transcript};
use super::Rules;
use super::loaded::count;
use super::lookup::{END_BYTES, Loaded, Reader, recorded_folder};
use crate::evidence::Says;
use crate::place::{Kind, Place};

/// A session in the list.
#[derive(Clone, Debug)]
pub(in super::super) struct Listed {
    pub(in super::super) session: String,
    pub(in super::super) path: PathBuf,
    pub(in super::super) modified: Timestamp,
}

/// The session that `--continue` goes on with.
#[derive(Clone, Debug)]
pub(in super::super) enum Pick {
    /// None: a new one begins.
    Nothing,
    /// This one.
    Session(String, PathBuf),
    /// Up to 2.0 a conversation is picked, not a file; it names its session by itself.
    Talk(String, Box<Loaded>),
}

/// The session that `--continue` picks in the folder.
pub(in super::super) fn newest(reader: &Reader<'_>, rules: Rules, holders: &[Holder]) -> Pick {
    let folder = reader.folder();
    if rules.generation == Generation::Old {
        return newest_talk(reader, &reader.own_folder(&folder, rules));
    }
    let first = reader.folders_of(&folder, rules).into_iter().next();
    let own = first.unwrap_or_else(|| reader.own_folder(&folder, rules));
    let picked = listed(reader, &own).into_iter().find(|entry| {
        let is_held = holders.iter().any(|holder| {
            holder.is_alive
                && holder.kind != "interactive"
                && !holder.kind.is_empty()
                && holder.session == entry.session
        });
        !is_held && is_offered(reader, entry, &folder, rules)
    });
    if let Some(entry) = picked {
        return Pick::Session(entry.session, entry.path);
    }
    moved_here(reader, &own, &folder, rules).unwrap_or(Pick::Nothing)
}

/// The logs of a key, newest first.
fn listed(reader: &Reader<'_>, key: &Path) -> Vec<Listed> {
    let listing = reader.place.list(key).read();
    let entries = listing.map(|listing| listing.entries).unwrap_or_default();
    let mut found: Vec<Listed> = entries
        .into_iter()
        .filter(|entry| entry.kind == Kind::File)
        .filter_map(|entry| {
            let session = session_of(&entry.name.to_string_lossy())?.to_owned();
            let Says::Read(stat) = reader.place.stat(&entry.path) else {
                return None;
            };
            Some(Listed {
                session,
                path: entry.path,
                modified: stat.modified,
            })
        })
        .collect();
    found.sort_by_key(|entry| std::cmp::Reverse(entry.modified));
    found
}

/// Whether the list offers that session, by the two ends of its log.
fn is_offered(reader: &Reader<'_>, entry: &Listed, folder: &str, rules: Rules) -> bool {
    let Some(ends) = reader.ends(&entry.path) else {
        // A log that cannot be opened has empty ends, and those hide nothing.
        return true;
    };
    let head = first_bytes(&ends);
    if head.is_empty() {
        return true;
    }
    let holds = |part: &str| memmem::find(head, part.as_bytes()).is_some();
    if holds("\"isSidechain\":true") || holds("\"isSidechain\": true") || names_team(head) {
        return false;
    }
    let kind = session_kind(head);
    if rules.generation == Generation::Middle {
        return kind.is_none();
    }
    if matches!(kind.as_deref(), Some("daemon" | "daemon-worker")) {
        return false;
    }
    let is_talk = memmem::find(head, b"\"parentUuid\":").is_some()
        || memmem::find(ends.head_bytes(), b"\"parentUuid\":").is_some()
        || ends
            .tail()
            .any(|line| memmem::find(line.text, b"\"parentUuid\":").is_some())
        || !ends.is_whole() && matches!(&*reader.log(&entry.path), Says::Read(log) if log.names_parents);
    is_talk && !is_of_another_folder(reader.place, &ends, folder)
}

/// The part of the log that the client takes for its head.
fn first_bytes(ends: &Ends) -> &[u8] {
    let bytes = ends.head_bytes();
    bytes.get(..END_BYTES as usize).unwrap_or(bytes)
}

fn names_team(head: &[u8]) -> bool {
    ["\"teamName\":\"", "\"teamName\": \""].iter().any(|start| {
        memmem::find(head, start.as_bytes())
            .and_then(|at| head.get(at + start.len()))
            .is_some_and(|first| *first != b'"')
    })
}

/// The kind of session that the first row of the conversation names.
fn session_kind(head: &[u8]) -> Option<String> {
    let line = head
        .split(|byte| *byte == b'\n')
        .find(|line| memmem::find(line, b"\"parentUuid\":").is_some())?;
    let start = memmem::find(line, b"\"sessionKind\":\"")? + 15;
    let kind = line.get(start..)?.split(|byte| *byte == b'"').next()?;
    let kind = String::from_utf8_lossy(kind).into_owned();
    matches!(kind.as_str(), "bg" | "daemon" | "daemon-worker").then_some(kind)
}

/// Whether the log was recorded in another folder, which is still there, with the same key.
fn is_of_another_folder(place: &Place, ends: &Ends, folder: &str) -> bool {
    let Some(recorded) = recorded_folder(ends).map(|cwd| key::composed(&cwd)) else {
        return false;
    };
    let folder = key::composed(folder);
    let differs = |path: &str| key::plain(path) == key::plain(&folder) && path != folder;
    differs(&recorded)
        && place
            .real_path(Path::new(&recorded))
            .read()
            .is_some_and(|real| differs(&key::composed(&real.to_string_lossy())))
}

/// Where the folder's name holds more than letters, digits and hyphens, and nothing in its own key was recorded in it:
/// the newest session of any key that was.
fn moved_here(reader: &Reader<'_>, own: &Path, folder: &str, rules: Rules) -> Option<Pick> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '\\' | ':' | '-');
    if rules.generation != Generation::New || folder.chars().all(is_plain) {
        return None;
    }
    let all_foreign = listed(reader, own).iter().all(|entry| {
        reader
            .ends(&entry.path)
            .is_some_and(|ends| is_of_another_folder(reader.place, &ends, folder))
    });
    if !all_foreign {
        return None;
    }
    let mut found: Vec<Listed> = vec![];
    for key in super::super::store::keys(reader.place, reader.config) {
        if key.path == own || key.is_link {
            continue;
        }
        let logs = listed(reader, &key.path);
        let recorded = logs
            .iter()
            .find_map(|entry| reader.ends(&entry.path).and_then(|ends| recorded_folder(&ends)));
        if recorded.as_deref() == Some(folder) {
            found.extend(logs);
        }
    }
    found.sort_by_key(|entry| std::cmp::Reverse(entry.modified));
    let picked = found
        .into_iter()
        .find(|entry| is_offered(reader, entry, folder, rules))?;
    Some(Pick::Session(picked.session, picked.path))
}

/// The sessions of the folder, and of its worktrees, with exactly that title; newest first.
pub(in super::super) fn titled(reader: &Reader<'_>, title: &str, rules: Rules) -> Vec<Listed> {
    let wanted = title.to_lowercase();
    let folder = reader.folder();
    let mut keys = reader.folders_of(&folder, rules);
    for tree in reader.worktrees() {
        for key in reader.folders_of(&tree, rules) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    let mut found: Vec<Listed> = vec![];
    for entry in keys.iter().flat_map(|key| listed(reader, key)) {
        if !is_offered(reader, &entry, &folder, rules) {
            continue;
        }
        let title = title_of(reader, &entry);
        let matches = title
            .as_deref()
            .is_some_and(|title| title.trim().to_lowercase() == wanted.trim());
        if matches && !found.iter().any(|other| other.session == entry.session) {
            found.push(entry);
        }
    }
    found.sort_by_key(|entry| std::cmp::Reverse(entry.modified));
    found
}

fn title_of(reader: &Reader<'_>, entry: &Listed) -> Option<String> {
    let facts = facts_of(&reader.ends(&entry.path)?);
    if facts.custom_title.is_some() {
        return facts.custom_title;
    }
    let beside = entry.path.with_extension("").join("custom-title.json");
    let set = reader.place.read_json(&beside, 1 << 20).read();
    let set = set.and_then(|value| value.get("customTitle")?.as_str().map(str::to_owned));
    set.or(facts.ai_title)
}

/// What the two ends of a log say about its session.
pub(in super::super) fn facts_of(ends: &Ends) -> Facts {
    let mut part = Transcript::empty(Path::new(""), 0, Timestamp::UNIX_EPOCH);
    let lines: Vec<Line<'_>> = ends.head().chain(ends.tail()).collect();
    for line in lines {
        part.take(line);
    }
    part.facts
}

/// Up to 2.0: all rows of the folder's logs are one heap; the conversation whose last row is the newest is picked.
fn newest_talk(reader: &Reader<'_>, key: &Path) -> Pick {
    let mut logs: Vec<(Timestamp, Rc<Says<Transcript>>)> = vec![];
    for entry in listed(reader, key) {
        logs.push((entry.modified, reader.log(&entry.path)));
    }
    logs.sort_by_key(|(modified, _)| *modified);
    let mut heap = Transcript::empty(key, 0, Timestamp::UNIX_EPOCH);
    let mut files: Vec<(u64, &Transcript)> = vec![];
    let mut base = 0;
    for log in logs.iter().filter_map(|(_, log)| match &**log {
        Says::Read(log) => Some(log),
        Says::Absent | Says::Unreadable(_) => None,
    }) {
        files.push((base, log));
        heap.rows.extend(log.rows.iter().map(|row| row.moved(base)));
        base += log.bytes + 1;
    }
    let graph = Graph::of(&heap, Generation::Old);
    let Some(end) = newest_end(&graph) else {
        return Pick::Nothing;
    };
    let file = graph.node(end).and_then(|node| {
        files
            .iter()
            .rev()
            .find(|(base, _)| *base <= node.row.offset_bytes)
            .map(|(_, log)| *log)
    });
    let Some(log) = file else {
        return Pick::Nothing;
    };
    let alone = Graph::of(log, Generation::Old);
    let Some(at) = graph.node(end).and_then(|node| alone.find(node.row.uuid)) else {
        return Pick::Nothing;
    };
    let walk = super::chain::ancestors(&alone, at);
    let session = log.facts.session.clone().or_else(|| {
        log.path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
    });
    let loaded = Loaded {
        path: log.path.clone(),
        counts: count(log, &alone, Some(&walk), Generation::Old),
        stops: None,
        is_cut: log.cut.is_some(),
        session: session.clone(),
        walk,
    };
    Pick::Talk(session.unwrap_or_default(), Box::new(loaded))
}

/// Of the rows that no row names as its parent, the one with the greatest time.
fn newest_end(graph: &Graph) -> Option<u32> {
    let parents: std::collections::HashSet<_> = graph.nodes.iter().map(|node| node.parent).collect();
    let mut best: Option<(i64, u32)> = None;
    for (at, node) in graph.nodes.iter().enumerate() {
        let is_later = best.is_none_or(|(time, _)| node.row.time_ms > time);
        if !parents.contains(&node.row.uuid) && is_later {
            best = Some((node.row.time_ms, at as u32));
        }
    }
    best.map(|(_, at)| at)
}
