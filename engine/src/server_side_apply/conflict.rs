//! Conflicts between an apply request and other managers.

use std::fmt::Write;

use super::field_set::FieldSet;
use super::managers::ManagerId;
use crate::error::{Error, ManagerConflict, ManagerOperation};
use crate::text::go_quote;

/// The fields that a request changes and another manager owns, by manager.
pub(super) type Conflicts = Vec<(ManagerId, FieldSet<'static>)>;

/// The reason for which an apply request is refused.
pub(super) enum Refusal {
    /// Other managers own fields that the request changes.
    Conflicts(Conflicts),
    /// Any other error.
    Error(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::Error(error)
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Conflicts(conflicts) => conflict_error(conflicts),
            Refusal::Error(error) => error,
        }
    }
}

/// Returns the error for conflicts, with upstream's message. Upstream: `NewConflictError`.
fn conflict_error(mut conflicts: Conflicts) -> Error {
    conflicts.sort_by_cached_key(|(manager, _)| manager.sort_key());
    let count: usize = conflicts.iter().map(|(_, fields)| fields.len()).sum();
    let mut message = String::new();
    if let ([(manager, fields)], 1) = (conflicts.as_slice(), count) {
        let path = fields.paths().join("");
        let _ = write!(message, "Apply failed with 1 conflict: conflict with {}: {path}", describe(manager));
    } else {
        let managers = conflicts.iter().map(|(manager, fields)| {
            let paths: Vec<String> = fields.paths().iter().map(|path| format!("\n- {path}")).collect();
            format!("conflicts with {}:{}", describe(manager), paths.concat())
        });
        let managers: Vec<String> = managers.collect();
        let _ = write!(message, "Apply failed with {count} conflicts: {}", managers.join("\n"));
    }
    let found = conflicts.iter().flat_map(|(manager, fields)| {
        fields.paths().into_iter().map(|path| ManagerConflict {
            manager: manager.manager.to_string(),
            path,
            operation: manager.operation,
            api_version: (!manager.api_version.is_empty()).then(|| manager.api_version.to_string()),
            subresource: (!manager.subresource.is_empty()).then(|| manager.subresource.to_string()),
        })
    });
    Error::apply_conflict(found.collect(), message)
}

/// Describes a manager as upstream does. Upstream: `printManager`.
pub(super) fn describe(id: &ManagerId) -> String {
    let mut text = go_quote(&id.manager);
    if !id.subresource.is_empty() {
        let _ = write!(text, " with subresource {}", go_quote(&id.subresource));
    }
    if id.operation == ManagerOperation::Update {
        let _ = write!(text, " using {}", id.api_version);
    }
    text
}
