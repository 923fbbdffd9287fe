//! Reads rollouts, the logs of Codex: where they lie, how they begin and end, and what they hold. Judges nothing.

use std::cmp::Reverse;
use std::io::Read;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rex_store::jsonl::Lines;

use super::conversation::{Conversation, Count};
use super::meta::{First, Head, Meta};
use super::name::rollout_name;
use super::rollout::{self, Item, Line, Role};
use crate::evidence::{Says, Why};
use crate::place::{Entry, Kind, LogFile, Place, Walk};

pub(super) mod archived;
pub(super) mod compacted_without_prompt;
pub(super) mod compressed;
pub(super) mod head_unreadable;
pub(super) mod history_cut;
pub(super) mod last_ordinal;
pub(super) mod legacy_format;
pub(super) mod lineage_broken;
pub(super) mod mode_unknown;
pub(super) mod name_changed;
pub(super) mod name_not_canonical;
pub(super) mod not_readable;
pub(super) mod not_writable;
pub(super) mod open_turn;
pub(super) mod other_thread;
pub(super) mod out_of_tree;
mod plain;
pub(super) mod taken_back;
pub(super) mod too_fresh;
pub(super) mod two_files;
mod unpack;

/// The most files of one home that are looked at.
const MOST_FILES: usize = 200_000;

/// The most symlinks to folders in it that are followed.
const MOST_LINKS: usize = 64;

/// Where in a home a rollout file lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// In a day's folder below `sessions`.
    Dated,
    /// Elsewhere below `sessions`: found by its name, never listed.
    Loose,
    /// Below `archived_sessions`.
    Archived,
}

/// A file whose name is that of a rollout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RolloutFile {
    /// The thread's id by the file's name.
    pub(super) id: String,
    /// Its path, as the client sees it.
    pub(super) path: PathBuf,
    /// Where in the home it lies.
    pub(super) spot: Spot,
    /// True for a `.jsonl.zst`.
    pub(super) is_compressed: bool,
    /// True for a symlink and for what lies in a folder that a symlink leads to: a listing passes them over.
    pub(super) is_symlink: bool,
}

/// All files of a home that may be rollouts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    /// Those with a rollout's name.
    pub(super) rollouts: Vec<RolloutFile>,
    /// Other `.jsonl` files in the same folders, which the client does not see.
    pub(super) strangers: Vec<PathBuf>,
    /// Folders that could not be read.
    pub(super) unreadable: Vec<(PathBuf, Why)>,
    /// False where a bound was reached.
    pub(super) complete: bool,
}

/// Finds the rollout files of a home.
pub(super) fn files(place: &Place, home: &Path) -> Files {
    let mut files = Files {
        complete: true,
        ..Files::default()
    };
    for folder in ["sessions", "archived_sessions"] {
        let top = home.join(folder);
        match walk(place, &top) {
            Says::Read(walk) => {
                files.complete &= walk.complete;
                files.unreadable.extend(walk.unreadable);
                for entry in walk.files {
                    files.add(&top, entry, folder == "archived_sessions");
                }
            }
            Says::Absent => {}
            Says::Unreadable(why) => files.unreadable.push((top, why)),
        }
    }
    files
}

/// How deep the folders are searched.
const DEPTH: usize = 6;

/// Everything below a folder, also what lies in folders that symlinks lead to.
fn walk(place: &Place, top: &Path) -> Says<Walk> {
    place.walk(top, DEPTH, MOST_FILES).map(|mut walk| {
        let is_led_to = |entry: &&Entry| entry.kind == Kind::Symlink && place.is_directory(&entry.path);
        let led_to: Vec<PathBuf> = walk
            .files
            .iter()
            .filter(is_led_to)
            .map(|entry| entry.path.clone())
            .collect();
        for folder in led_to.into_iter().take(MOST_LINKS) {
            match place.walk(&folder, DEPTH, MOST_FILES) {
                Says::Read(below) => {
                    walk.complete &= below.complete;
                    walk.unreadable.extend(below.unreadable);
                    walk.files.extend(below.files.into_iter().map(|entry| Entry {
                        kind: Kind::Symlink,
                        ..entry
                    }));
                }
                Says::Absent => {}
                Says::Unreadable(why) => walk.unreadable.push((folder, why)),
            }
        }
        walk
    })
}

impl Files {
    fn add(&mut self, top: &Path, entry: Entry, is_archive: bool) {
        if !matches!(entry.kind, Kind::File | Kind::Symlink) {
            return;
        }
        let Some(name) = rollout_name(&entry.name) else {
            let is_log = entry.path.extension().is_some_and(|ending| ending == "jsonl");
            if is_log {
                self.strangers.push(entry.path);
            }
            return;
        };
        let spot = match () {
            () if is_archive => Spot::Archived,
            () if is_dated(top, &entry.path) => Spot::Dated,
            () => Spot::Loose,
        };
        self.rollouts.push(RolloutFile {
            id: name.id,
            path: entry.path,
            spot,
            is_compressed: name.is_compressed,
            is_symlink: entry.kind == Kind::Symlink,
        });
    }

    /// The files with that thread's id in their name.
    pub(super) fn of<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a RolloutFile> {
        self.rollouts.iter().filter(move |file| file.id == id)
    }

    /// The file below `sessions` that a search for the id comes upon although its name is not quite a rollout's.
    pub(super) fn near(&self, sessions: &Path, id: &str) -> Option<&PathBuf> {
        let mut strangers = self.strangers.iter();
        strangers.find(|path| path.starts_with(sessions) && is_near(path, id))
    }

    /// The file that the client finds by name where no row tells it the path: below `sessions` before the archive, of
    /// the newest name, directly in `sessions` before any folder, plain before its packed twin. Between folders the
    /// client takes what the system lists first, which nothing else tells: here it is the last by name.
    pub(super) fn by_name(&self, id: &str) -> Option<&RolloutFile> {
        let files = self.rollouts.iter().filter(|file| file.id == id);
        files.max_by_key(|file| {
            (
                file.spot != Spot::Archived,
                plain_name(&file.path),
                Reverse(file.path.components().count()),
                file.path.parent(),
                !file.is_compressed,
            )
        })
    }
}

/// The name of a rollout without the ending of a packed one.
fn plain_name(path: &Path) -> &[u8] {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    name.strip_suffix(b".zst").unwrap_or(name)
}

/// True for a name that is not quite a rollout's and that a search for the id comes upon.
fn is_near(path: &Path, id: &str) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    name.starts_with("rollout-") && name.contains(id)
}

/// True for `YYYY/MM/DD/<file>` below `sessions`.
fn is_dated(top: &Path, path: &Path) -> bool {
    let Ok(inside) = path.strip_prefix(top) else {
        return false;
    };
    let folders: Vec<_> = inside.parent().into_iter().flat_map(Path::components).collect();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    folders.len() == 3
        && folders
            .iter()
            .all(|part| part.as_os_str().to_str().is_some_and(is_number))
}

/// How the file ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    /// Its last record has this number.
    Numbered(u64),
    /// Its last record, which begins at this byte, has none.
    Unnumbered(u64),
    /// It holds no record.
    NoRecord,
}

/// One rollout, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rollout {
    /// The file that was read: the one asked for, or its packed twin.
    pub(super) path: PathBuf,
    /// Its size in bytes.
    pub(super) bytes: u64,
    /// When its bytes last changed.
    pub(super) modified: Timestamp,
    /// What the client finds at the beginning when it looks the session up.
    pub(super) head: Head,
    /// What the client finds at the beginning when it opens the file to go on writing.
    pub(super) first: First,
    /// True for a file of the format before the records had an envelope.
    pub(super) is_pre_envelope: bool,
    /// How it ends.
    pub(super) tail: Tail,
    /// The folder of the last turn, where the part that was read holds one.
    pub(super) last_cwd: Option<String>,
}

impl Rollout {
    /// The first record, where it reads.
    pub(super) fn meta(&self) -> Option<&Meta> {
        match &self.head {
            Head::Meta(meta) => Some(meta),
            _ => None,
        }
    }
}

/// A part of a log that the client walks: a file, up to a byte or to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    /// The file.
    pub(super) path: PathBuf,
    /// Where the part ends, in bytes.
    pub(super) end_byte_offset: Option<u64>,
}

/// Reads the beginning and the end of the rollout at `path`, or of its twin, packed or plain, where only that is there.
pub(super) fn read(place: &Place, path: &Path) -> Says<Rollout> {
    open(place, path).and_then(|(path, file)| {
        if is_packed(&path) {
            unpack::read(&path, file)
        } else {
            plain::read(&path, &file)
        }
    })
}

/// How many lines of a file a listing reads to find a prompt.
const LINES_TO_PROMPT: usize = 210;

/// True where a prompt is shown near the beginning of the log at `path`: without one a listing passes it over.
pub(super) fn shows_prompt(place: &Place, path: &Path, items_count: bool) -> bool {
    let Says::Read((path, file)) = open(place, path) else {
        return false;
    };
    let input: Box<dyn Read> = if is_packed(&path) {
        let Ok(input) = unpack::unpacked(file) else {
            return false;
        };
        Box::new(input)
    } else {
        Box::new(file)
    };
    let mut lines = Lines::new(input);
    for _ in 0..LINES_TO_PROMPT {
        let Ok(Some(line)) = lines.read() else {
            return false;
        };
        let is_item = memchr::memmem::find(line.text, b"item_completed").is_some();
        if (items_count || !is_item)
            && let Line::Record(record) = rollout::read(line.text)
            && record.item == Item::Shown(Role::User)
        {
            return true;
        }
    }
    false
}

/// Counts the messages in the segments, in their order, as the client walks them.
pub(super) fn replay(place: &Place, segments: &[Segment]) -> Says<Count> {
    let mut conversation = Conversation::default();
    for segment in segments {
        let walked = open(place, &segment.path).and_then(|(path, file)| {
            let end = segment.end_byte_offset;
            if is_packed(&path) {
                unpack::replay(file, end, &mut conversation)
            } else {
                plain::replay(file, end, &mut conversation)
            }
        });
        match walked {
            Says::Read(()) => {}
            Says::Absent => return Says::Absent,
            Says::Unreadable(why) => return Says::Unreadable(why),
        }
    }
    Says::Read(conversation.count())
}

fn open(place: &Place, path: &Path) -> Says<(PathBuf, LogFile)> {
    if path.as_os_str().is_empty() {
        return Says::Absent;
    }
    let named = place.open(path);
    if !named.is_absent() {
        return named.map(|file| (path.to_path_buf(), file));
    }
    let twin = if is_packed(path) {
        path.with_extension("")
    } else {
        let mut twin = path.as_os_str().to_owned();
        twin.push(".zst");
        PathBuf::from(twin)
    };
    place.open(&twin).map(|file| (twin, file))
}

fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "zst")
}

/// Reads the beginning of any file and returns its first record: for files whose names say nothing.
pub(super) fn first_record(place: &Place, path: &Path) -> Option<Meta> {
    match read(place, path).read()?.head {
        Head::Meta(meta) => Some(*meta),
        _ => None,
    }
}
