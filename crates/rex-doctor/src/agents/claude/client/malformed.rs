//! Rows on which 2.1.197 stops: it refuses the whole session with the words of its JavaScript engine.

use super::super::graph::{Generation, Graph};
use super::super::row::{Kind, Mark, Row};
use super::chain::Walk;

/// The words with which the load ends, if it does.
pub(super) fn complaint(graph: &Graph, walk: &Walk) -> Option<String> {
    let rows = |nodes: &mut dyn Iterator<Item = u32>| -> Vec<Row> {
        nodes
            .filter_map(|at| graph.node(at))
            .map(|node| node.row)
            .collect()
    };
    let walked = rows(&mut walk.rows.iter().copied());
    if !walked.iter().any(|row| row.kind() == Kind::Assistant) {
        // Without a reply the load looks at no message.
        return None;
    }
    let all = rows(&mut (0..graph.nodes.len() as u32));
    let bad = walked
        .iter()
        .filter(|row| row.kind() == Kind::Assistant)
        .chain(&all);
    bad.into_iter().find_map(|row| {
        let value = match (row.is(Mark::MessageNull), row.is(Mark::MessageAbsent)) {
            (true, _) => "null",
            (_, true) => "undefined",
            _ => return None,
        };
        match row.kind() {
            Kind::Assistant => Some(format!("{value} is not an object (evaluating 'd.message.id')")),
            Kind::User if row.is(Mark::HasParent) => Some(format!(
                "{value} is not an object (evaluating 'd.message.content')"
            )),
            Kind::User | Kind::Attachment | Kind::System | Kind::Progress => None,
        }
    })
}

/// The words with which older clients end when they make a request of rows whose content is no list.
pub(super) fn late_complaint(graph: &Graph, walk: &Walk, generation: Generation) -> Option<String> {
    let rows = walk
        .rows
        .iter()
        .filter_map(|at| graph.node(*at))
        .map(|node| node.row);
    let words = match generation {
        Generation::Old => rows.into_iter().find_map(|row| complaint_of_old(&row)),
        Generation::Middle => rows.into_iter().find_map(|row| complaint_of_middle(&row)),
        Generation::New | Generation::Sdk => None,
    };
    words.map(str::to_owned)
}

fn complaint_of_old(row: &Row) -> Option<&'static str> {
    let is_plain_reply = row.kind() == Kind::Assistant && row.is(Mark::ContentText);
    (row.is_talk() && row.lacks_message() || is_plain_reply)
        .then_some("Failed to resume session with --print mode")
}

fn complaint_of_middle(row: &Row) -> Option<&'static str> {
    match row.kind() {
        Kind::User if row.is(Mark::ContentBad) => Some("<text>t.some<text>"),
        Kind::Assistant if row.is(Mark::ContentBad) => {
            Some("{<text>\"subtype\":\"error_during_execution\"<text>")
        }
        Kind::Assistant if row.is(Mark::ContentText) => {
            Some("e.message.content.some is not a function.<text>")
        }
        Kind::User | Kind::Assistant | Kind::Attachment | Kind::System | Kind::Progress => None,
    }
}
