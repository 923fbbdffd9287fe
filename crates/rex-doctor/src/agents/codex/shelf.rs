//! What `codex exec resume --last` comes upon: first the rows of the store, newest first; where none fits, the files of
//! the dated folders.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::client::Rules;
use super::home::Home;
use super::log::{self, Rollout, RolloutFile, Spot};
use super::session::Session;
use super::store::{Opening, Row};
use crate::evidence::Says;
use crate::place::{Place, Stat};

/// A session that `--last` takes up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    /// Its id: the row's, or the one in the file's first record.
    pub(super) id: String,
    /// Its log.
    pub(super) path: PathBuf,
    /// True where a file was found and no row.
    pub(super) is_by_file: bool,
}

/// Finds what `--last` takes up.
pub(super) fn first(place: &Place, session: &Session, rules: &Rules) -> Option<Listed> {
    let rows = session
        .state()
        .map(|state| state.newest.as_slice())
        .unwrap_or_default();
    let mut elsewhere = HashSet::new();
    let by_row = rows
        .iter()
        .filter(|_| rules.lists_rows)
        .find_map(|row| fits_row(place, &session.home, row, &mut elsewhere));
    by_row.or_else(|| by_file(place, session, rules, &elsewhere))
}

/// Notes a log that was read and is of another folder, so that nobody reads it again.
fn fits_row<'r>(
    place: &Place,
    home: &Home,
    row: &'r Row,
    elsewhere: &mut HashSet<&'r Path>,
) -> Option<Listed> {
    let is_shown = !row.is_listed_archived && !row.is_attached && !row.preview.is_empty();
    if !is_shown || row.model_provider != home.settings().provider() {
        return None;
    }
    let rollout = log::read(place, &row.rollout_path).read()?;
    if !is_here(place, &rollout) {
        elsewhere.insert(&row.rollout_path);
        return None;
    }
    let is_own = rollout.meta().is_some_and(|meta| meta.id == row.id);
    is_own.then(|| Listed {
        id: row.id.clone(),
        path: row.rollout_path.clone(),
        is_by_file: false,
    })
}

/// True where a listing by name shows the row: not archived, with a prompt, of this provider, with a log, in this folder.
pub(super) fn is_shown(place: &Place, home: &Home, row: &Row) -> bool {
    let is_listed = !row.is_listed_archived && !row.preview.is_empty();
    if !is_listed || row.model_provider != home.settings().provider() {
        return false;
    }
    match log::read(place, &row.rollout_path) {
        Says::Read(rollout) if rollout.meta().is_some() => is_here(place, &rollout),
        Says::Read(_) | Says::Unreadable(_) => is_same_folder(place, Path::new(&row.cwd), place.cwd()),
        Says::Absent => false,
    }
}

/// The newest file by its time that has a first record, a prompt near its beginning, the provider and the folder.
fn by_file(place: &Place, session: &Session, rules: &Rules, elsewhere: &HashSet<&Path>) -> Option<Listed> {
    let (home, files) = (&session.home, &session.files);
    let has_plain = |file: &RolloutFile| {
        files
            .of(&file.id)
            .any(|other| other.path == file.path.with_extension(""))
    };
    let dated = files
        .rollouts
        .iter()
        .filter(|file| file.spot == Spot::Dated && !file.is_symlink);
    let dated = dated.filter(|file| !file.is_compressed || (rules.unpacks && !has_plain(file)));
    let mut newest: Vec<(Stat, &Path)> = dated
        .filter(|file| !elsewhere.contains(file.path.as_path()))
        .filter_map(|file| match place.stat(&file.path) {
            Says::Read(stat) => Some((stat, file.path.as_path())),
            Says::Absent | Says::Unreadable(_) => None,
        })
        .collect();
    // Rows that are made from the files when the client starts hold whole seconds.
    let is_made_again = rules.lists_rows && session.sees_store && session.stores.state == Opening::Absent;
    let time = |stat: &Stat| {
        if is_made_again {
            (stat.modified.as_second(), 0)
        } else {
            (stat.modified.as_second(), stat.modified.subsec_nanosecond())
        }
    };
    newest.sort_by(|(a, a_path), (b, b_path)| (time(b), b_path).cmp(&(time(a), a_path)));
    newest.into_iter().find_map(|(_, path)| {
        let rollout = log::read(place, path).read()?;
        let meta = rollout.meta()?;
        let provider = home.settings().provider().to_owned();
        let has_provider = meta
            .model_provider
            .as_ref()
            .is_none_or(|recorded| *recorded == provider);
        let is_listed = has_provider && is_here(place, &rollout);
        (is_listed && log::shows_prompt(place, path, rules.previews_items)).then(|| Listed {
            id: meta.id.clone(),
            path: path.to_path_buf(),
            is_by_file: true,
        })
    })
}

/// True where the folder of the session's last turn is the one the client is started in.
pub(super) fn is_here(place: &Place, rollout: &Rollout) -> bool {
    let recorded = rollout
        .last_cwd
        .as_deref()
        .or_else(|| rollout.meta().map(|meta| meta.cwd.as_str()));
    recorded.is_some_and(|recorded| is_same_folder(place, Path::new(recorded), place.cwd()))
}

/// True where two paths are one folder, also by way of symlinks.
pub(super) fn is_same_folder(place: &Place, one: &Path, other: &Path) -> bool {
    let real = |path: &Path| place.real_path(path).read().unwrap_or_else(|| path.to_path_buf());
    one == other || real(one) == real(other)
}
