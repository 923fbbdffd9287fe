//! A disk that lies: it keeps what was synced and loses, when the power is cut, what was not.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::Operation;

/// What a power cut takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// Everything that was not synced.
    All,
    /// Of what was not synced, each sector and each name by chance from this seed.
    Some(u64),
}

/// What a power cut would leave of one folder.
#[derive(Debug)]
pub struct Disk {
    folder: PathBuf,
    after: PathBuf,
    graves: PathBuf,
    lost: Lost,
    names: BTreeMap<OsString, u64>,
    content: HashMap<u64, Vec<u8>>,
    buried: u64,
}

const SECTOR_BYTES: usize = 512;

impl Disk {
    /// Takes a folder as it is for durable. A cut writes what is left into `after`; `graves` keeps removed files'
    /// inodes from being used again. Both exist and are empty.
    ///
    /// # Panics
    /// When the folder cannot be read.
    pub fn new(folder: &Path, after: &Path, graves: &Path, lost: Lost) -> Self {
        let mut disk = Self {
            folder: folder.canonicalize().expect("the folder exists"),
            after: after.to_owned(),
            graves: graves.to_owned(),
            lost,
            names: BTreeMap::new(),
            content: HashMap::new(),
            buried: 0,
        };
        disk.names = disk.present();
        for (name, inode) in &disk.names {
            disk.content.insert(
                *inode,
                fs::read(disk.folder.join(name)).expect("the file can be read"),
            );
        }
        for name in disk.names.clone().keys() {
            disk.bury(&disk.folder.join(name));
        }
        disk
    }

    fn present(&self) -> BTreeMap<OsString, u64> {
        let entries = fs::read_dir(&self.folder)
            .expect("the folder can be read")
            .flatten();
        entries
            .filter_map(|entry| Some((entry.file_name(), entry.metadata().ok()?.ino())))
            .collect()
    }

    /// A second name keeps the inode from going to another file, which would inherit its durable content.
    fn bury(&mut self, path: &Path) {
        self.buried += 1;
        let _there_already = fs::hard_link(path, self.graves.join(self.buried.to_string()));
    }

    pub(super) fn done(&mut self, operation: Operation, path: &Path) {
        let is_here = path.parent() == Some(&self.folder) || path == self.folder;
        if !is_here {
            return;
        }
        match operation {
            Operation::Open => {
                let Ok(metadata) = fs::metadata(path) else { return };
                if let Entry::Vacant(new) = self.content.entry(metadata.ino()) {
                    new.insert(Vec::new());
                    self.bury(path);
                }
            }
            Operation::Sync => {
                if let (Ok(metadata), Ok(bytes)) = (fs::metadata(path), fs::read(path)) {
                    self.content.insert(metadata.ino(), bytes);
                }
            }
            Operation::SyncFolder => self.names = self.present(),
            Operation::Write(_)
            | Operation::Truncate
            | Operation::Delete
            | Operation::Rename
            | Operation::Owner => {}
        }
    }

    /// Cuts the power: writes what is left into the other folder.
    ///
    /// # Panics
    /// When that cannot be written.
    pub fn cut(&mut self) {
        let present = self.present();
        let mut chance = match self.lost {
            Lost::All => None,
            Lost::Some(seed) => Some(Chance(seed | 1)),
        };
        let mut all: Vec<OsString> = self.names.keys().chain(present.keys()).cloned().collect();
        all.sort();
        all.dedup();
        for name in all {
            let survives = chance.as_mut().is_some_and(Chance::is_heads);
            let from = if survives { &present } else { &self.names };
            let Some(inode) = from.get(&name) else { continue };
            let durable = self.content.get(inode).cloned().unwrap_or_default();
            let bytes = match (&mut chance, present.get(&name) == Some(inode)) {
                (Some(chance), true) => mixed(
                    &durable,
                    &fs::read(self.folder.join(&name)).unwrap_or_default(),
                    chance,
                ),
                _ => durable,
            };
            fs::write(self.after.join(&name), bytes).expect("the other folder can be written");
        }
    }
}

/// Each sector old or new, by chance; past the end of the old content a lost sector is zero.
fn mixed(old: &[u8], new: &[u8], chance: &mut Chance) -> Vec<u8> {
    let bytes = if chance.is_heads() { new.len() } else { old.len() };
    let mut mixed = vec![0; bytes];
    for (index, sector) in mixed.chunks_mut(SECTOR_BYTES).enumerate() {
        let from = if chance.is_heads() { new } else { old };
        let start = (index * SECTOR_BYTES).min(from.len());
        let end = (start + sector.len()).min(from.len());
        if let (Some(target), Some(source)) = (sector.get_mut(..end - start), from.get(start..end)) {
            target.copy_from_slice(source);
        }
    }
    mixed
}

/// xorshift64: the same seed loses the same sectors.
struct Chance(u64);

impl Chance {
    fn is_heads(&mut self) -> bool {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 & 0x10 == 0
    }
}
