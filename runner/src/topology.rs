//! The page on changes of a topology, which [`skewer_reports::topology`] renders.

use skewer_cases::yaml::{read_document, write_flow};
use skewer_engine::{Doc, OwnedDoc};
use skewer_reports::Results;
pub use skewer_reports::topology::SUITE;

/// Renders the page, in Markdown, from the results of the suite [`SUITE`] with the documents of all steps.
///
/// # Errors
///
/// Errors of [`skewer_reports::topology::topology`].
pub fn page(results: &Results) -> Result<String, String> {
    skewer_reports::topology::topology(results, |document| {
        let document = read_document(SUITE, document.as_bytes()).ok()?;
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
