//! The order in which comments are shown: folders within folders, comments within them, numbered along the walk.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::{Group, Thread};
use crate::daemon::Text;

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A folder.
    Group {
        /// Its id.
        id: Text,
        /// How many folders it lies in.
        depth: usize,
    },
    /// A comment.
    Thread {
        /// Its id.
        id: Text,
        /// How many folders it lies in.
        depth: usize,
        /// The number shown, from 1.
        number: usize,
    },
}

/// The list, and what does not belong in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// The lines in order: folders by (position, name), each with its folders and then its comments by (position, time).
    /// Comments without a folder come last.
    pub entries: Vec<Entry>,
    /// Folders that lie in themselves, or in one that is not there. Their comments are shown without a folder.
    pub unreachable: BTreeSet<Text>,
}

/// Arranges comments in folders. A folder is visited once, so that a cycle ends.
pub fn tree(groups: &[Group], threads: &[Thread]) -> Tree {
    let mut walk = Walk {
        children: BTreeMap::new(),
        threads: BTreeMap::new(),
        visited: BTreeSet::new(),
        tree: Tree::default(),
        number: 0,
    };
    for group in groups {
        walk.children
            .entry(group.parent_id.as_ref())
            .or_default()
            .push(group);
    }
    for siblings in walk.children.values_mut() {
        siblings.sort_by_key(|group| (group.position, &group.name, &group.id));
    }
    for thread in threads {
        walk.threads
            .entry(thread.group_id.as_ref())
            .or_default()
            .push(thread);
    }
    walk.folder(None, 0);
    walk.leftovers(groups);
    walk.tree
}

struct Walk<'a> {
    children: BTreeMap<Option<&'a Text>, Vec<&'a Group>>,
    threads: BTreeMap<Option<&'a Text>, Vec<&'a Thread>>,
    visited: BTreeSet<&'a Text>,
    tree: Tree,
    number: usize,
}

impl<'a> Walk<'a> {
    /// Every folder at once would nest as deep as a hostile store likes, so the depth is bounded by what was visited.
    fn folder(&mut self, root: Option<&'a Text>, depth: usize) {
        let mut stack = vec![(root, depth, false)];
        while let Some((folder, depth, is_listed)) = stack.pop() {
            if is_listed {
                let threads = self.threads.remove(&folder).unwrap_or_default();
                self.list(threads, depth);
                continue;
            }
            if let Some(id) = folder {
                if !self.visited.insert(id) {
                    continue;
                }
                let depth = depth.saturating_sub(1);
                self.tree.entries.push(Entry::Group {
                    id: id.clone(),
                    depth,
                });
            }
            stack.push((folder, depth, true));
            let children = self.children.remove(&folder).unwrap_or_default();
            for child in children.into_iter().rev() {
                stack.push((Some(&child.id), depth + 1, false));
            }
        }
    }

    fn list(&mut self, mut threads: Vec<&'a Thread>, depth: usize) {
        threads.sort_by_key(|thread| {
            (
                thread.position.unwrap_or_default(),
                &thread.created_at,
                &thread.id,
            )
        });
        for thread in threads {
            self.number += 1;
            self.tree.entries.push(Entry::Thread {
                id: thread.id.clone(),
                depth,
                number: self.number,
            });
        }
    }

    fn leftovers(&mut self, groups: &[Group]) {
        let unreachable = groups.iter().filter(|group| !self.visited.contains(&group.id));
        self.tree.unreachable = unreachable.map(|group| group.id.clone()).collect();
        let rest: Vec<&Thread> = std::mem::take(&mut self.threads)
            .into_values()
            .flatten()
            .collect();
        self.list(rest, 0);
    }
}
