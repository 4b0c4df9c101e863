//! The analysis of changes of a topology, which [`skewer_reports::topology`] renders.

use skewer_cases::yaml::{read_document, write_flow};
use skewer_engine::{Doc, OwnedDoc};
use skewer_reports::Results;
use skewer_reports::topology::{self, TopologyEffects};

/// Reads the changes from the results of the suite [`SUITE`](topology::SUITE) with the documents of all steps.
///
/// # Errors
///
/// Errors of [`topology::analyze`].
pub fn analyze(results: &Results) -> Result<TopologyEffects<'_>, String> {
    topology::analyze(results, |document| {
        let document = read_document(topology::SUITE, document.as_bytes()).ok()?;
        Some(write_flow(&without_zero_values(document)))
    })
}

/// Removes the zero values of Go types.
fn without_zero_values(document: OwnedDoc) -> OwnedDoc {
    let is_zero = |value: &OwnedDoc| match value {
        Doc::Null => true,
        Doc::String(text) => text.is_empty(),
        Doc::Map(map) => map.is_empty(),
        _ => false,
    };
    match document {
        Doc::Map(map) => {
            let members = map.into_iter().map(|(key, value)| (key, without_zero_values(value)));
            Doc::Map(members.filter(|(_, value)| !is_zero(value)).collect())
        }
        Doc::List(items) => Doc::List(items.into_iter().map(without_zero_values).collect()),
        other => other,
    }
}
