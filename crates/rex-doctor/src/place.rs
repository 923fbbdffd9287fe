//! Where the doctor looks: one type for the root, the home, the working folder, the environment and the clock. Every
//! path goes through it, as the client would see it; nothing outside the root is read and nothing is ever written.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use jiff::Timestamp;

use crate::evidence::Says;

mod database;
mod file;
mod folders;
pub mod git;
pub mod homes;
mod listing;
pub mod processes;
mod rights;
mod root;

pub use database::Database;
pub use file::LogFile;
pub use listing::{Entry, Listing, Walk};
pub use root::{Kind, Stat};

use folders::Folders;
use rights::Rights;
use root::{Found, Root};

/// What the command line passes in: libraries look at neither the environment nor the clock.
#[derive(Clone, Debug)]
pub struct Setting {
    /// `--root`: the folder that holds another machine's files.
    pub root: Option<PathBuf>,
    /// `--cwd`: the folder the agent would be started in.
    pub cwd: Option<PathBuf>,
    /// The folder the doctor itself was started in.
    pub current_dir: PathBuf,
    /// The environment.
    pub environment: BTreeMap<OsString, OsString>,
    /// The time.
    pub now: Timestamp,
    /// A folder for scratch files, outside every home.
    pub scratch: PathBuf,
    /// How many threads may read at once.
    pub workers: usize,
}

/// One person's view of one machine.
#[derive(Clone, Debug)]
pub struct Place {
    root: Root,
    rights: Rights,
    folders: Folders,
    home: Option<PathBuf>,
    cwd: PathBuf,
    environment: BTreeMap<OsString, OsString>,
    now: Timestamp,
    scratch: PathBuf,
    workers: usize,
}

/// Why there is no place to look.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// `--root` names no folder that can be read.
    #[error("cannot read the root {path}")]
    Root {
        /// What was named.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// There is no home below the root.
    #[error("no home below {root}: neither the folder that HOME names nor root, home/* or Users/*")]
    NoHome {
        /// The root.
        root: PathBuf,
    },
}

impl PlaceError {
    /// The one thing to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Root { .. } => "name a folder that holds the files of a machine, with home or root in it",
            Self::NoHome { .. } => "set HOME to the home's path as that machine sees it",
        }
    }
}

impl Place {
    /// Returns the places that `setting` means: one, or under `--root` one per home below it if the folder that `HOME`
    /// names is not there. In the latter case neither `HOME` nor any other variable counts.
    ///
    /// # Errors
    /// [`PlaceError::Root`] if the root is no readable folder, [`PlaceError::NoHome`] if there is no home in it.
    pub fn all(setting: &Setting) -> Result<Vec<Self>, PlaceError> {
        let Some(path) = &setting.root else {
            return Ok(vec![Self::here(setting)]);
        };
        let refused = |source| PlaceError::Root {
            path: path.clone(),
            source,
        };
        let below = path.canonicalize().map_err(refused)?;
        std::fs::read_dir(&below).map_err(refused)?;
        let root = Root::below(below);
        let home = setting.environment.get(OsStr::new("HOME")).map(PathBuf::from);
        if let Some(home) = home.filter(|home| home.is_absolute() && root.has_directory(home)) {
            return Ok(vec![Self::below(
                setting,
                &root,
                home,
                setting.environment.clone(),
            )]);
        }
        let homes = root.homes();
        if homes.is_empty() {
            return Err(PlaceError::NoHome { root: path.clone() });
        }
        let place = |home: PathBuf| {
            let alone = BTreeMap::from([(OsString::from("HOME"), home.clone().into_os_string())]);
            Self::below(setting, &root, home, alone)
        };
        Ok(homes.into_iter().map(place).collect())
    }

    fn here(setting: &Setting) -> Self {
        let home = setting.environment.get(OsStr::new("HOME")).map(PathBuf::from);
        let cwd = setting.cwd.as_deref().map_or_else(
            || setting.current_dir.clone(),
            |cwd| setting.current_dir.join(cwd),
        );
        Self {
            root: Root::whole(),
            rights: Rights::Real,
            folders: Folders::default(),
            home,
            cwd: tidy(&cwd),
            environment: setting.environment.clone(),
            now: setting.now,
            scratch: setting.scratch.clone(),
            workers: setting.workers,
        }
    }

    fn below(
        setting: &Setting,
        root: &Root,
        home: PathBuf,
        environment: BTreeMap<OsString, OsString>,
    ) -> Self {
        let cwd = setting
            .cwd
            .as_deref()
            .map_or_else(|| home.clone(), |cwd| home.join(cwd));
        Self {
            rights: root.rights_of_owner(&home),
            root: root.clone(),
            folders: Folders::default(),
            home: Some(home),
            cwd: tidy(&cwd),
            environment,
            now: setting.now,
            scratch: setting.scratch.clone(),
            workers: setting.workers,
        }
    }

    /// The same place with the agent started in another folder.
    #[must_use]
    pub fn with_cwd(&self, cwd: &Path) -> Self {
        Self {
            cwd: self.absolute(cwd),
            ..self.clone()
        }
    }

    /// The home: what `HOME` names.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The folder the agent would be started in: absolute, symlinks not resolved.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// A variable of the environment that the agent would see, the empty string included.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.environment.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The time at which the question is asked.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// A folder for scratch files, outside every home, on the doctor's own machine.
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// How many threads may read at once.
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// True where this is another machine's disk.
    pub fn is_elsewhere(&self) -> bool {
        !self.root.is_whole()
    }

    /// `path` from the working folder, `.` and `..` taken out by name alone.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        tidy(&self.cwd.join(path))
    }

    /// What lies there, symlinks followed.
    pub fn stat(&self, path: &Path) -> Says<Stat> {
        self.find(path, true).map(|found| found.stat)
    }

    /// What lies there, a symlink as itself.
    pub fn link_stat(&self, path: &Path) -> Says<Stat> {
        self.find(path, false).map(|found| found.stat)
    }

    /// The path with all symlinks resolved, as the client sees it.
    pub fn real_path(&self, path: &Path) -> Says<PathBuf> {
        self.find(path, true).map(|found| found.inside)
    }

    /// What a symlink holds, as written.
    pub fn read_link(&self, path: &Path) -> Says<PathBuf> {
        self.find(path, false)
            .and_then(|found| match std::fs::read_link(&found.real) {
                Ok(target) => Says::Read(target),
                Err(error) => error.into(),
            })
    }

    /// True where a directory lies there, symlinks followed.
    pub fn is_directory(&self, path: &Path) -> bool {
        matches!(
            self.stat(path),
            Says::Read(Stat {
                kind: Kind::Directory,
                ..
            })
        )
    }

    /// True where a file lies there, symlinks followed.
    pub fn is_file(&self, path: &Path) -> bool {
        matches!(self.stat(path), Says::Read(Stat { kind: Kind::File, .. }))
    }

    /// Whether the client could read what lies there (for a directory: list it).
    pub fn may_read(&self, path: &Path) -> Says<bool> {
        self.may(path, rights::Want::Read)
    }

    /// Whether the client could write what lies there (for a directory: create files in it).
    pub fn may_write(&self, path: &Path) -> Says<bool> {
        self.may(path, rights::Want::Write)
    }

    /// Whether the client could look up names in the directory there.
    pub fn may_search(&self, path: &Path) -> Says<bool> {
        self.may(path, rights::Want::Search)
    }

    /// How many bytes the client could still write on the disk that holds `path`; absent under `--root`, where the disk
    /// is another machine's.
    pub fn free_bytes(&self, path: &Path) -> Says<u64> {
        if self.is_elsewhere() {
            return Says::Absent;
        }
        match rustix::fs::statvfs(self.cwd.join(path)) {
            Ok(stat) => Says::Read(stat.f_bavail.saturating_mul(stat.f_frsize)),
            Err(error) => std::io::Error::from(error).into(),
        }
    }

    fn may(&self, path: &Path, want: rights::Want) -> Says<bool> {
        let found = self.find(path, true);
        found.map(|found| self.rights.allow(&found, want))
    }

    fn find(&self, path: &Path, follow_last: bool) -> Says<Found> {
        let path = self.cwd.join(path);
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return self.root.find(&path, follow_last, &self.rights);
        };
        let parent = self
            .folders
            .find(parent, || self.root.find(parent, true, &self.rights));
        parent.and_then(|parent| {
            self.root
                .find_from(parent, Path::new(name), follow_last, &self.rights)
        })
    }
}

/// Takes `.` and `..` out of an absolute path by name alone.
fn tidy(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => clean.push(part),
        }
    }
    clean
}
