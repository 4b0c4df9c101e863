//! The answer of an API server to an apply request with conflicts.

use super::conflict::describe;
use super::managers::ManagerId;
use crate::document::{Doc, Map, OwnedDoc, OwnedText, Text};
use crate::error::{Error, ManagerConflict};

/// The HTTP status code of a conflict.
const CONFLICT: i64 = 409;

/// Returns the `Status` object with which an API server refuses an apply request, or `None` if the error has no
/// [conflicts](Error::conflicts). The HTTP status code is in the member `code`. Upstream: `NewConflictError`
/// (k8s.io/apimachinery, managedfields) and `NewApplyConflict` (api/errors).
///
/// The causes are sorted as the conflicts. Upstream lists them in random order.
///
/// ```
/// use skewer_engine::error::{Error, ManagerConflict, ManagerOperation};
/// use skewer_engine::server_side_apply::conflict_status;
///
/// let conflict = ManagerConflict {
///     manager: "scaler".to_owned(),
///     path: ".spec.replicas".to_owned(),
///     operation: ManagerOperation::Apply,
///     api_version: None,
///     subresource: None,
/// };
/// let status = conflict_status(&Error::apply_conflict(vec![conflict], "Apply failed")).expect("it is a conflict");
/// assert!(status.to_string().contains(
///     r#"{"field":".spec.replicas","message":"conflict with \"scaler\"","reason":"FieldManagerConflict"}"#
/// ));
/// ```
#[must_use]
pub fn conflict_status(error: &Error) -> Option<OwnedDoc> {
    if error.conflicts().is_empty() {
        return None;
    }
    let causes: Vec<OwnedDoc> = error.conflicts().iter().map(cause).collect();
    Some(map([
        ("kind", Doc::from("Status")),
        ("apiVersion", Doc::from("v1")),
        ("metadata", map([])),
        ("status", Doc::from("Failure")),
        ("message", Doc::from(error.message())),
        ("reason", Doc::from("Conflict")),
        ("details", map([("causes", Doc::from(causes))])),
        ("code", Doc::from(CONFLICT)),
    ]))
}

fn cause(conflict: &ManagerConflict) -> OwnedDoc {
    let text = |member: &Option<String>| member.as_deref().map(OwnedText::from).unwrap_or_default();
    let manager = ManagerId {
        manager: Text::from(conflict.manager.as_str()),
        operation: conflict.operation,
        api_version: text(&conflict.api_version),
        subresource: text(&conflict.subresource),
    };
    map([
        ("reason", Doc::from("FieldManagerConflict")),
        ("message", Doc::from(format!("conflict with {}", describe(&manager)))),
        ("field", Doc::from(conflict.path.as_str())),
    ])
}

fn map<const N: usize>(entries: [(&'static str, OwnedDoc); N]) -> OwnedDoc {
    Doc::Map(entries.into_iter().map(|(key, value)| (Text::from_static(key), value)).collect::<Map<'_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{ErrorKind, ManagerOperation};

    #[test]
    fn the_status_has_a_cause_for_each_conflict() {
        let conflict = |path: &str, api_version: Option<&str>, subresource: Option<&str>| ManagerConflict {
            manager: "a \"b\"".to_owned(),
            path: path.to_owned(),
            operation: api_version.map_or(ManagerOperation::Apply, |_| ManagerOperation::Update),
            api_version: api_version.map(str::to_owned),
            subresource: subresource.map(str::to_owned),
        };
        let conflicts = vec![conflict(".x", Some("apps/v1"), Some("scale")), conflict(".y", None, None)];
        let status = conflict_status(&Error::apply_conflict(conflicts, "Apply failed")).unwrap();
        let expected = concat!(
            r#"{"apiVersion":"v1","code":409,"details":{"causes":["#,
            r#"{"field":".x","message":"conflict with \"a \\\"b\\\"\" with subresource \"scale\" using apps/v1","#,
            r#""reason":"FieldManagerConflict"},"#,
            r#"{"field":".y","message":"conflict with \"a \\\"b\\\"\"","reason":"FieldManagerConflict"}]},"#,
            r#""kind":"Status","message":"Apply failed","metadata":{},"reason":"Conflict","status":"Failure"}"#
        );
        assert_eq!(status.to_string(), expected);
    }

    #[test]
    fn other_errors_have_no_status() {
        assert_eq!(conflict_status(&Error::new(ErrorKind::Conflict, "the resource version is stale")), None);
    }
}
