//! Reads git's own files: which worktrees a repository has. Git is not run.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::Place;
use crate::evidence::Says;

/// A repository as seen from a folder in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The root of the worktree that holds the folder; none in a bare repository.
    pub top: Option<PathBuf>,
    /// The folder that all worktrees share.
    pub common: PathBuf,
    /// The worktrees in git's order, the main one first, also those whose folder is gone.
    pub worktrees: Vec<PathBuf>,
    /// True where the main one has no files.
    pub is_bare: bool,
}

impl Place {
    /// The repository that holds a folder, as `git` started there would find it.
    pub fn repository(&self, folder: &Path) -> Says<Repository> {
        let folder = match self.real_path(folder) {
            Says::Read(folder) => folder,
            Says::Absent => return Says::Absent,
            Says::Unreadable(why) => return Says::Unreadable(why),
        };
        for top in folder.ancestors() {
            let dot_git = top.join(".git");
            let git = if self.is_file(&dot_git) {
                self.read_text(&dot_git)
                    .read()
                    .and_then(|text| Some(top.join(text.strip_prefix("gitdir:")?.trim())))
            } else {
                Some(dot_git)
            };
            if let Some(git) = git.filter(|git| self.is_git_folder(git)) {
                return Says::Read(self.repository_of(&git, Some(top)));
            }
            if self.is_git_folder(top) {
                return Says::Read(self.repository_of(top, None));
            }
        }
        Says::Absent
    }

    fn is_git_folder(&self, folder: &Path) -> bool {
        let has_objects =
            || self.is_directory(&folder.join("objects")) || self.is_file(&folder.join("commondir"));
        self.is_directory(folder) && !self.link_stat(&folder.join("HEAD")).is_absent() && has_objects()
    }

    fn repository_of(&self, git: &Path, top: Option<&Path>) -> Repository {
        let common = self
            .read_text(&git.join("commondir"))
            .read()
            .map(|text| git.join(text.trim()));
        let common = common.unwrap_or_else(|| git.to_owned());
        let common = self.real_path(&common).read().unwrap_or(common);
        let is_bare = self
            .read_text(&common.join("config"))
            .read()
            .is_some_and(|text| says_bare(&text));
        let main = match common.file_name() {
            Some(name) if name == OsStr::new(".git") => common.parent().unwrap_or(&common).to_owned(),
            Some(_) | None => common.clone(),
        };
        let mut worktrees = vec![main];
        if let Says::Read(linked) = self.list(&common.join("worktrees")) {
            for entry in linked.entries {
                let Says::Read(text) = self.read_text(&entry.path.join("gitdir")) else {
                    continue;
                };
                let dot_git = entry.path.join(text.trim());
                worktrees.extend(dot_git.parent().map(super::tidy));
            }
        }
        Repository {
            top: top.map(Path::to_owned),
            common,
            worktrees,
            is_bare,
        }
    }
}

fn says_bare(config: &str) -> bool {
    let mut in_core = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            in_core = line.to_ascii_lowercase().starts_with("[core]");
        } else if in_core
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("bare")
        {
            return value.trim().eq_ignore_ascii_case("true");
        }
    }
    false
}
