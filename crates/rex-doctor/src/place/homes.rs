//! Looks for other homes of an agent on the same disk, bounded and without descending.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{Kind, Place};
use crate::evidence::Says;

/// The most names that are looked at.
const MOST_ENTRIES: usize = 4096;

/// Shell start files below the home in which a variable may be set.
const START_FILES: &[&str] = &[
    ".profile",
    ".bash_profile",
    ".bash_login",
    ".bashrc",
    ".zshenv",
    ".zprofile",
    ".zshrc",
    ".config/fish/config.fish",
];

/// What to look for.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// Folders `HOME/.<prefix>*` and `HOME/.config/<prefix>` are looked at.
    pub prefix: &'a str,
    /// The variable that selects a home.
    pub variable: &'a str,
    /// Other folders to look at.
    pub also: &'a [PathBuf],
    /// Whether a folder is such a home and holds sessions.
    pub looks_like: &'a dyn Fn(&Place, &Path) -> bool,
}

/// The homes that were found, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherHomes {
    /// Folders that hold sessions, each once, in the order of looking; the effective home may be among them.
    pub homes: Vec<PathBuf>,
    /// What was looked at, in words.
    pub looked_at: Vec<String>,
    /// False where the bound was reached.
    pub complete: bool,
}

impl Place {
    /// Looks for other homes.
    pub fn other_homes(&self, wanted: &Wanted<'_>) -> OtherHomes {
        let mut folders: Vec<PathBuf> = vec![];
        let mut looked_at = vec![];
        let mut complete = true;
        if let Some(home) = self.home.clone() {
            let dotted = format!(".{}", wanted.prefix);
            if let Says::Read(listing) = self.list_up_to(&home, MOST_ENTRIES) {
                complete = listing.complete;
                let directories = listing.entries.into_iter();
                let directories = directories.filter(|e| matches!(e.kind, Kind::Directory | Kind::Symlink));
                let (mut dot, plain): (Vec<_>, Vec<_>) = directories
                    .filter(|e| starts_with(&e.name, &dotted) || !starts_with(&e.name, "."))
                    .map(|e| e.path)
                    .partition(|path| path.file_name().is_some_and(|name| starts_with(name, &dotted)));
                folders.append(&mut dot);
                folders.push(home.join(".config").join(wanted.prefix));
                folders.extend(plain);
            }
            looked_at.push(format!("{}/{dotted}*", home.display()));
            looked_at.push(format!("{}/.config/{}", home.display(), wanted.prefix));
            looked_at.push(format!("folders directly below {}", home.display()));
            folders.extend(self.set_in_start_files(&home, wanted.variable));
            looked_at.push(format!("{} in shell start files", wanted.variable));
        }
        folders.extend(wanted.also.iter().cloned());
        looked_at.extend(wanted.also.iter().map(|path| path.display().to_string()));
        let mut homes: Vec<PathBuf> = vec![];
        let mut seen = vec![];
        for folder in folders {
            let Says::Read(stat) = self.stat(&folder) else {
                continue;
            };
            if stat.kind == Kind::Directory
                && !seen.contains(&stat.identity)
                && (wanted.looks_like)(self, &folder)
            {
                seen.push(stat.identity);
                homes.push(folder);
            }
        }
        OtherHomes {
            homes,
            looked_at,
            complete,
        }
    }

    fn set_in_start_files(&self, home: &Path, variable: &str) -> Vec<PathBuf> {
        let mut values = vec![];
        for name in START_FILES {
            let Says::Read(text) = self.read_text(&home.join(name)) else {
                continue;
            };
            let set = text.lines().filter_map(|line| value_of(line, variable));
            values.extend(set.map(|value| self.absolute(&expand(value, home))));
        }
        values
    }
}

fn starts_with(name: &OsStr, prefix: &str) -> bool {
    name.as_encoded_bytes().starts_with(prefix.as_bytes())
}

/// The value that a line of a shell start file gives the variable: `export V=x`, `V="x"`, `set -gx V x`.
fn value_of<'a>(line: &'a str, variable: &str) -> Option<&'a str> {
    let line = line.trim();
    if line.starts_with('#') {
        return None;
    }
    let at = line.find(variable)?;
    let rest = line.get(at + variable.len()..)?;
    let value = rest
        .strip_prefix('=')
        .or_else(|| rest.strip_prefix(char::is_whitespace))?
        .trim();
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value.get(1..)?.split(quote).next()?,
        _ => value.split([' ', '\t', ';', '#']).next()?,
    };
    (!value.is_empty()).then_some(value)
}

fn expand(value: &str, home: &Path) -> PathBuf {
    for prefix in ["~/", "$HOME/", "${HOME}/"] {
        if let Some(rest) = value.strip_prefix(prefix) {
            return home.join(rest);
        }
    }
    PathBuf::from(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_shell_start_files_are_read_as_shells_write_them() {
        for (line, expected) in [
            ("export V=$HOME/.work", Some("/h/.work")),
            ("  V=\"~/a b\" # comment", Some("/h/a b")),
            ("set -gx V /abs", Some("/abs")),
            ("alias c='V=/x/y claude'", Some("/x/y")),
            ("# export V=/no", None),
            ("export VARIABLE=/no", None),
            ("V=", None),
        ] {
            let value = value_of(line, "V").map(|value| expand(value, Path::new("/h")));
            assert_eq!(value, expected.map(PathBuf::from), "{line}");
        }
    }
}
