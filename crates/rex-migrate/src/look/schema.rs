//! What the differences between a store's schema and a fresh one's mean for its upgrade.

use std::collections::BTreeSet;

use rex_store::schema::{Difference, Object, ObjectKind};

use crate::family::Family;
use crate::step::{Options, Refusal};

/// At the newest version a store may have more than a fresh one, but not less.
pub(super) fn taken_number(differences: &[Difference], version: i64) -> Option<Refusal> {
    let missing = differences.iter().find(|difference| {
        matches!(difference, Difference::Missing(object)
            if matches!(object.kind, ObjectKind::Table | ObjectKind::Column))
    })?;
    Some(Refusal {
        cause: format!("the store says version {version} but has another schema: {missing}"),
        hint: format!(
            "another change took the number {version}; the upgrade of such a store would be a step of its own"
        ),
    })
}

/// What a store has otherwise than its version says; more than that is a reason only until it is to be carried over.
pub(super) fn other_schema(
    differences: &[Difference],
    family: &Family<'_>,
    version: i64,
    options: &Options,
) -> Vec<Refusal> {
    let (extra, other): (Vec<_>, Vec<_>) = differences
        .iter()
        .partition(|difference| matches!(difference, Difference::Extra(_)));
    let mut refusals = Vec::new();
    if !other.is_empty() {
        refusals.push(Refusal {
            cause: format!(
                "the schema is not that of version {version}: {}",
                first_few(&other)
            ),
            hint: format!(
                "open it with the application's own version of the {} that wrote it",
                family.name
            ),
        });
    }
    if !extra.is_empty() && !options.keep_unknown {
        refusals.push(Refusal {
            cause: format!(
                "the schema has more than version {version}: {}",
                first_few(&extra)
            ),
            hint: "add --keep-unknown to carry it over".to_owned(),
        });
    }
    refusals
}

/// What a store has more than its version says.
pub(super) fn extras(differences: &[Difference]) -> BTreeSet<Object> {
    differences
        .iter()
        .filter_map(|difference| match difference {
            Difference::Extra(object) => Some(object.clone()),
            Difference::Missing(_) | Difference::Changed { .. } => None,
        })
        .collect()
}

/// How many differences a refusal names.
const NAMED: usize = 20;

fn first_few(differences: &[&Difference]) -> String {
    let named = differences
        .iter()
        .take(NAMED)
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ");
    match differences.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}
