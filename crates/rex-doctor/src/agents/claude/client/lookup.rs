//! Where the client looks for a session and what it finds there, step by step.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rex_store::jsonl::Ends;

use super::super::graph::{Generation, Graph};
use super::super::home::ConfigDir;
use super::super::key;
use super::super::log::Transcript;
use super::super::store::{self, Key};
use super::chain::{Walk, walk};
use super::loaded::{Counts, count};
use super::{Prefix, Rules};
use crate::evidence::{Says, Why};
use crate::place::{Kind, Place};

/// How much of each end of a log the client reads for a list, in bytes.
pub(in super::super) const END_BYTES: u64 = 65_536;

/// Reads each log once, however many surfaces ask for it.
pub(in super::super) struct Reader<'a> {
    pub(in super::super) place: &'a Place,
    pub(in super::super) config: &'a ConfigDir,
    logs: RefCell<HashMap<PathBuf, Rc<Says<Transcript>>>>,
}

/// A log as one generation of the client loads it.
#[derive(Clone, Debug)]
pub(in super::super) struct Loaded {
    pub(in super::super) path: PathBuf,
    pub(in super::super) walk: Walk,
    pub(in super::super) counts: Counts,
    /// The client ends with these words when it makes the request.
    pub(in super::super) stops: Option<String>,
    /// The log was not read to its end.
    pub(in super::super) is_cut: bool,
    /// The session that the last row of the conversation names.
    pub(in super::super) session: Option<String>,
}

/// What loading a log comes to.
#[derive(Clone, Debug)]
pub(in super::super) enum Load {
    /// Nothing to go on from, or it cannot be read: for the client that is the same.
    Nothing,
    /// It throws, with these words.
    Fails(String),
    /// It waits for ever.
    Waits,
    /// It loads.
    Loads(Box<Loaded>),
}

/// By which step the client finds a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Via {
    /// The key of the folder.
    OwnKey,
    /// A key that begins alike: the folder's path is too long for a key.
    Prefix,
    /// The key of another worktree of the repository.
    Worktree,
    /// The only one among all keys.
    Scan,
    /// The path was given.
    Path,
}

impl Via {
    pub(in super::super) fn words(self) -> &'static str {
        match self {
            Via::OwnKey => "under the folder's own key",
            Via::Prefix => "under a key that begins alike",
            Via::Worktree => "under the key of another worktree",
            Via::Scan => "by looking through all keys",
            Via::Path => "by its path",
        }
    }
}

/// What a lookup found.
#[derive(Clone, Debug)]
pub(in super::super) enum Found {
    Nothing,
    Fails(String),
    Waits,
    Log(Via, Box<Loaded>),
}

impl<'a> Reader<'a> {
    pub(in super::super) fn new(place: &'a Place, config: &'a ConfigDir) -> Self {
        Self {
            place,
            config,
            logs: RefCell::default(),
        }
    }

    /// The log there, read whole.
    pub(in super::super) fn log(&self, path: &Path) -> Rc<Says<Transcript>> {
        if let Some(log) = self.logs.borrow().get(path) {
            return Rc::clone(log);
        }
        let log = Rc::new(Transcript::read(self.place, path));
        self.logs.borrow_mut().insert(path.to_owned(), Rc::clone(&log));
        log
    }

    /// The two ends of the log there, which is all that a list reads.
    pub(in super::super) fn ends(&self, path: &Path) -> Option<Ends> {
        let mut file = self.place.open(path).read()?;
        Ends::read(&mut file, END_BYTES).ok()
    }

    /// The folder as the client takes it for a key: symlinks resolved, its letters as the disk has them.
    pub(in super::super) fn folder(&self) -> String {
        let cwd = self.place.cwd();
        let real = self.place.real_path(cwd).read().unwrap_or_else(|| cwd.to_owned());
        real.to_string_lossy().into_owned()
    }

    fn key(&self, folder: &str, rules: Rules) -> String {
        match self.named_key(rules) {
            Some(name) => name,
            None => ordinary_key(folder, rules),
        }
    }

    /// The name that the environment gives to the key.
    fn named_key(&self, rules: Rules) -> Option<String> {
        self.config.variable.as_ref().filter(|_| rules.names_keys)?;
        let name = self
            .place
            .variable("CLAUDE_CODE_PROJECT_DIR_NAME")?
            .to_string_lossy()
            .into_owned();
        let is_plain = (1..=64).contains(&name.len())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        (is_plain && !is_device_name(&name)).then_some(name)
    }

    /// The path that the client computes before it looks anywhere.
    pub(in super::super) fn computed(&self, folder: &str, session: &str, rules: Rules) -> PathBuf {
        self.own_folder(folder, rules).join(format!("{session}.jsonl"))
    }

    pub(in super::super) fn own_folder(&self, folder: &str, rules: Rules) -> PathBuf {
        self.config.projects().join(self.key(folder, rules))
    }

    /// Whether the client can write into that folder, or make it.
    pub(in super::super) fn can_make(&self, folder: &Path) -> bool {
        let is_there = |path: &&Path| !self.place.link_stat(path).is_absent();
        let first = folder.ancestors().find(is_there).unwrap_or(folder);
        self.place.is_directory(first) && self.place.may_write(first) != Says::Read(false)
    }

    /// The folders that hold sessions of `folder` and can be listed, the own one first.
    pub(in super::super) fn folders_of(&self, folder: &str, rules: Rules) -> Vec<PathBuf> {
        let projects = self.config.projects();
        let own = self.own_folder(folder, rules);
        let can_list = |path: &Path| self.place.list_up_to(path, 1).is_read();
        let mut folders: Vec<PathBuf> = vec![];
        if can_list(&own) {
            folders.push(own.clone());
        }
        if self.named_key(rules).is_some() {
            let ordinary = projects.join(ordinary_key(folder, rules));
            if ordinary != own && can_list(&ordinary) {
                folders.push(ordinary);
            }
            return folders;
        }
        let plain = key::plain(folder);
        let Some(start) = plain.get(..key::LONGEST).filter(|_| plain.len() > key::LONGEST) else {
            return folders;
        };
        if rules.prefix == Prefix::None {
            return folders;
        }
        let start = format!("{start}-");
        let siblings = store::keys(self.place, self.config)
            .into_iter()
            .filter(|key| !key.is_link && key.name.starts_with(&start) && key.path != own);
        folders.extend(
            siblings
                .filter(|key| rules.prefix == Prefix::Unchecked || self.records(key, &plain))
                .map(|key| key.path),
        );
        folders
    }

    /// Whether some log of that key was recorded in a folder with that plain name.
    fn records(&self, key: &Key, plain: &str) -> bool {
        let Says::Read(listing) = self.place.list(&key.path) else {
            return false;
        };
        listing.entries.iter().any(|entry| {
            let is_log = entry.kind == Kind::File && entry.name.to_string_lossy().ends_with(".jsonl");
            let ends = is_log.then(|| self.ends(&entry.path)).flatten();
            let cwd = ends.and_then(|ends| recorded_folder(&ends));
            cwd.is_some_and(|cwd| key::plain(&key::composed(&cwd)) == plain)
        })
    }

    /// The session's log by its id.
    pub(in super::super) fn by_id(&self, session: &str, rules: Rules) -> Found {
        let folder = self.folder();
        let name = format!("{session}.jsonl");
        let own = self.own_folder(&folder, rules);
        let folders = if rules.generation == Generation::Old {
            vec![]
        } else {
            self.folders_of(&folder, rules)
        };
        let first = folders
            .iter()
            .map(|folder| folder.join(&name))
            .find(|path| self.place.stat(path).is_read());
        let path = first.unwrap_or_else(|| own.join(&name));
        let via = if path.parent() == Some(&own) {
            Via::OwnKey
        } else {
            Via::Prefix
        };
        match self.load(&path, rules.generation) {
            Load::Nothing => {}
            Load::Fails(words) => return Found::Fails(words),
            Load::Waits => return Found::Waits,
            Load::Loads(loaded) => return Found::Log(via, loaded),
        }
        if let Some(found) = self.by_worktree(&name, rules) {
            return found;
        }
        match self.by_scan(&name, rules) {
            Some(path) => match self.load(&path, rules.generation) {
                Load::Nothing => Found::Nothing,
                Load::Fails(words) => Found::Fails(words),
                Load::Waits => Found::Waits,
                Load::Loads(loaded) => Found::Log(Via::Scan, loaded),
            },
            None => Found::Nothing,
        }
    }

    fn by_worktree(&self, name: &str, rules: Rules) -> Option<Found> {
        if !rules.worktrees {
            return None;
        }
        for tree in self.worktrees() {
            for folder in self.folders_of(&tree, rules) {
                match self.load(&folder.join(name), rules.generation) {
                    Load::Nothing => {}
                    Load::Fails(words) => return Some(Found::Fails(words)),
                    Load::Waits => return Some(Found::Waits),
                    Load::Loads(loaded) => return Some(Found::Log(Via::Worktree, loaded)),
                }
            }
        }
        None
    }

    /// The worktrees of the repository that holds the folder.
    pub(in super::super) fn worktrees(&self) -> Vec<String> {
        let Says::Read(repository) = self.place.repository(self.place.cwd()) else {
            return vec![];
        };
        let skipped = usize::from(repository.is_bare);
        let trees = repository.worktrees.into_iter().skip(skipped);
        trees.map(|tree| key::composed(&tree.to_string_lossy())).collect()
    }

    fn by_scan(&self, name: &str, rules: Rules) -> Option<PathBuf> {
        if !rules.scans {
            return None;
        }
        let keys = store::keys(self.place, self.config);
        let mut usable = keys
            .into_iter()
            .filter(|key| !key.is_link)
            .map(|key| key.path.join(name))
            .filter(|path| {
                self.place.is_file(path) && matches!(&*self.log(path), Says::Read(log) if log.is_usable)
            });
        let only = usable.next()?;
        usable.next().is_none().then_some(only)
    }

    /// Loads a log as the client does.
    pub(in super::super) fn load(&self, path: &Path, generation: Generation) -> Load {
        let log = self.log(path);
        let log = match &*log {
            Says::Read(log) => log,
            Says::Absent => return Load::Nothing,
            Says::Unreadable(why) => return load_failure(why, generation),
        };
        if generation == Generation::Middle && log.null_line.is_some() {
            return Load::Fails("null is not an object (evaluating 'e.type')".to_owned());
        }
        let graph = Graph::of(log, generation);
        let Some(walk) = walk(&graph, generation) else {
            return Load::Nothing;
        };
        if generation == Generation::Middle
            && let Some(words) = super::malformed::complaint(&graph, &walk)
        {
            return Load::Fails(words);
        }
        Load::Loads(Box::new(Loaded {
            path: path.to_owned(),
            counts: count(log, &graph, Some(&walk), generation),
            stops: super::malformed::late_complaint(&graph, &walk, generation),
            is_cut: log.cut.is_some(),
            session: log.facts.session.clone(),
            walk,
        }))
    }
}

fn ordinary_key(folder: &str, rules: Rules) -> String {
    if rules.limits_keys {
        key::of(folder)
    } else {
        key::plain(folder)
    }
}

fn is_device_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let numbered = |start: &str| {
        upper
            .strip_prefix(start)
            .is_some_and(|rest| matches!(rest.as_bytes(), [b'0'..=b'9']))
    };
    matches!(upper.as_str(), "CON" | "PRN" | "AUX" | "NUL") || numbered("COM") || numbered("LPT")
}

fn load_failure(why: &Why, generation: Generation) -> Load {
    match why {
        Why::IsDirectory if generation != Generation::Old => {
            Load::Fails("EISDIR: illegal operation on a directory, read".to_owned())
        }
        Why::NotRegular("fifo") => Load::Waits,
        Why::NotPermitted
        | Why::IsDirectory
        | Why::NotDirectory
        | Why::NotRegular(_)
        | Why::Loop
        | Why::NameTooLong
        | Why::TooMuch { .. }
        | Why::Busy
        | Why::Changed
        | Why::Damaged(_)
        | Why::Failed(_) => Load::Nothing,
    }
}

/// The folder that the ends of a log record: where it was moved to last, else where it began.
pub(in super::super) fn recorded_folder(ends: &Ends) -> Option<String> {
    let field = |line: &rex_store::jsonl::Line<'_>, name: &str| {
        memchr::memmem::find(line.text, name.as_bytes())?;
        let value: serde_json::Value = line.parse().ok()?;
        value.get(name)?.as_str().map(str::to_owned)
    };
    let relocated = ends
        .head()
        .chain(ends.tail())
        .filter_map(|line| field(&line, "relocatedCwd"))
        .last();
    relocated.or_else(|| ends.head().find_map(|line| field(&line, "cwd")))
}
