//! What `--continue` comes to: it picks a session by itself, and the question is whether it is the one that is meant.

use std::collections::HashSet;
use std::path::Path;

use super::super::graph::{Generation, Graph};
use super::super::row::{Kind, Mark, Row};
use super::chain::{Walk, walk_of_any_side};
use super::listing::{self, Pick};
use super::loaded::count;
use super::lookup::{Load, Loaded, Reader, Via};
use super::{Meaning, Prediction, Question, Rules, goes_on};
use crate::evidence::Says;
use crate::forecast::{Forecast, History, Saves};

pub(super) fn continued(question: &Question<'_>, surface: &str, rules: Rules) -> Prediction {
    if question.keeps_nothing && rules.generation == Generation::Old {
        return Prediction::bare(starts_new(question, surface, History::None, rules));
    }
    let prediction = |loaded: Box<Loaded>, id: &str| Prediction {
        forecast: goes_on(question, surface, &loaded, id, rules),
        log: Some((Via::OwnKey, loaded)),
    };
    match listing::newest(question.reader, rules, question.holders) {
        Pick::Nothing => Prediction::bare(starts_new(question, surface, History::None, rules)),
        Pick::Session(id, path) if is_meant(question, &id) => {
            match question.reader.load(&path, rules.generation) {
                Load::Loads(loaded) => prediction(loaded, &id),
                Load::Waits => Prediction::bare(Forecast::hangs(surface)),
                Load::Nothing => match of_any_side(question.reader, &path, rules.generation) {
                    Some(loaded) => prediction(Box::new(loaded), &id),
                    None => Prediction::bare(without_history(question, surface, &path)),
                },
                Load::Fails(_) => Prediction::bare(without_history(question, surface, &path)),
            }
        }
        Pick::Talk(id, loaded) if is_meant(question, &id) => prediction(loaded, &id),
        Pick::Session(_, path) => {
            let history = match question.reader.load(&path, rules.generation) {
                Load::Loads(loaded) => shared(question, &loaded.path, &loaded.walk, rules.generation),
                Load::Nothing | Load::Fails(_) | Load::Waits => History::None,
            };
            Prediction::bare(starts_new(question, surface, history, rules))
        }
        Pick::Talk(_, loaded) => {
            let history = shared(question, &loaded.path, &loaded.walk, rules.generation);
            Prediction::bare(starts_new(question, surface, history, rules))
        }
    }
}

/// Whether the session that was picked is the one that was asked about; ids are compared as they are.
fn is_meant(question: &Question<'_>, id: &str) -> bool {
    match question.meaning {
        Meaning::Id(asked) => asked == id,
        Meaning::Path(_) | Meaning::Address | Meaning::Title(_) => question.session == Some(id),
    }
}

/// The list has it, and what does not load is left out without a word.
fn without_history(question: &Question<'_>, surface: &str, path: &Path) -> Forecast {
    let is_read_only = question.reader.place.may_write(path) == Says::Read(false);
    let nowhere = question.saves_nothing || is_read_only;
    let saves = if nowhere { Saves::Nothing } else { Saves::Same };
    Forecast::resumes(surface, Some(History::None), Some(saves))
}

fn starts_new(question: &Question<'_>, surface: &str, history: History, rules: Rules) -> Forecast {
    let own = question.reader.own_folder(&question.reader.folder(), rules);
    let nowhere = question.is_off(rules) || !question.reader.can_make(&own);
    Forecast {
        history: Some(history),
        saves: Some(if nowhere { Saves::Nothing } else { Saves::New }),
        ..Forecast::starts_new(surface)
    }
}

/// The log as `--continue` loads it where a lookup by id finds no row of the main conversation.
fn of_any_side(reader: &Reader<'_>, path: &Path, generation: Generation) -> Option<Loaded> {
    let log = reader.log(path);
    let log = log.as_ref().as_ref().read()?;
    let graph = Graph::of(log, generation);
    let walk = walk_of_any_side(&graph, generation)?;
    Some(Loaded {
        path: path.to_owned(),
        counts: count(log, &graph, Some(&walk), generation),
        stops: None,
        is_cut: log.cut.is_some(),
        session: log.facts.session.clone(),
        walk,
    })
}

/// How many of the messages that are meant another session carries: a fork has them too.
fn shared(question: &Question<'_>, path: &Path, walked: &Walk, generation: Generation) -> History {
    let mut meant = HashSet::new();
    for copy in question.copies {
        if let Says::Read(log) = &*question.reader.log(copy) {
            meant.extend(log.rows.iter().filter_map(message));
        }
    }
    let log = question.reader.log(path);
    let Some(log) = log.as_ref().as_ref().read() else {
        return History::None;
    };
    let graph = Graph::of(log, generation);
    let rows = walked.rows.iter().filter_map(|at| graph.node(*at));
    let carried: HashSet<_> = rows.filter_map(|node| message(&node.row)).collect();
    History::of(carried.intersection(&meant).count() as u64, meant.len() as u64)
}

/// What makes a message the same in two logs.
fn message(row: &Row) -> Option<(bool, u64)> {
    let is_message = !row.is(Mark::Side) && (row.is_prompt() || row.is_reply());
    let is_reply = row.kind() == Kind::Assistant && row.reply != 0;
    is_message.then(|| (is_reply, if is_reply { row.reply } else { row.uuid.low() }))
}
