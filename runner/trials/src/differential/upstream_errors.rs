//! The errors of `k8s.io/apimachinery/pkg/util/mergepatch`, identified by their messages.
//!
//! One error kind of the engine can stand for several of these errors. A run against the library counts them
//! separately, to show which errors of the library the trials reached.

use std::collections::BTreeMap;
use std::fmt::Write;

/// An error of the library.
#[derive(Debug)]
pub(super) struct UpstreamError {
    name: &'static str,
    /// Reason why no document can cause the error. `None` if a document can.
    unreachable_because: Option<&'static str>,
    matches: fn(&str) -> bool,
}

/// The errors of `mergepatch/errors.go`.
static UPSTREAM_ERRORS: [UpstreamError; 13] = [
    reachable("ErrBadArgType", |text| {
        text.starts_with("expected a ") && !text.starts_with("expected a struct")
    }),
    reachable("ErrBadJSONDoc", |text| text == "invalid JSON document"),
    reachable("ErrBadPatchFormatForPrimitiveList", |text| text == "invalid patch format of primitive list"),
    reachable("ErrBadPatchFormatForRetainKeys", |text| text == "invalid patch format of retainKeys"),
    reachable("ErrBadPatchFormatForSetElementOrderList", |text| {
        text == "invalid patch format of setElementOrder list"
    }),
    reachable("ErrBadPatchType", |text| text.starts_with("unknown patch type: ")),
    reachable("ErrConflict", |text| text.starts_with("patch:\n")),
    reachable("ErrNoListOfLists", |text| text == "lists of lists are not supported"),
    reachable("ErrNoMergeKey", |text| text.contains("does not contain declared merge key: ")),
    reachable("ErrPreconditionFailed", |text| text.starts_with("precondition failed for: ")),
    reachable("ErrUnsupportedStrategicMergePatchFormat", |text| {
        text == "strategic merge patch format is not supported"
    }),
    UpstreamError {
        name: "ErrBadArgKind",
        unreachable_because: Some("it reports a Go type that is not a struct, not an invalid document"),
        matches: |text| text.starts_with("expected a struct, but received a "),
    },
    UpstreamError {
        name: "ErrPatchContentNotMatchRetainKeys",
        unreachable_because: Some("the library declares it but never returns it"),
        matches: |text| text == "patch content doesn't match retainKeys list",
    },
];

const fn reachable(name: &'static str, matches: fn(&str) -> bool) -> UpstreamError {
    UpstreamError { name, unreachable_because: None, matches }
}

/// Counts of the errors of the library.
#[derive(Clone, Debug, Default)]
pub struct UpstreamErrorCounts(BTreeMap<&'static str, u64>);

impl UpstreamErrorCounts {
    /// Counts a refusal of the target by its message.
    pub(super) fn count(&mut self, message: &str) {
        if let Some(error) = UPSTREAM_ERRORS.iter().find(|error| (error.matches)(message)) {
            *self.0.entry(error.name).or_default() += 1;
        }
    }

    /// Returns the errors that documents can cause but that did not occur.
    #[must_use]
    pub fn unseen_errors(&self) -> Vec<&'static str> {
        let reachable_names = UPSTREAM_ERRORS
            .iter()
            .filter(|error| error.unreachable_because.is_none())
            .map(|error| error.name);
        reachable_names.filter(|name| !self.0.contains_key(name)).collect()
    }

    /// Renders the counts. The text is empty if no error of the library occurred.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        if self.0.is_empty() {
            return text;
        }
        text.push_str("\nerrors of k8s.io/apimachinery/pkg/util/mergepatch:\n");
        for error in &UPSTREAM_ERRORS {
            let count = self.0.get(error.name).copied().unwrap_or_default();
            let why = error
                .unreachable_because
                .filter(|_| count == 0)
                .map(|why| format!(": {why}"))
                .unwrap_or_default();
            let _ = writeln!(text, "  {count:>7}  {}{why}", error.name);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_by_their_messages() {
        let mut counts = UpstreamErrorCounts::default();
        assert_eq!(counts.text(), "");
        counts.count("map: map[a:1] does not contain declared merge key: name");
        counts.count("expected a map[string]interface {}, but received a []interface {}");
        counts.count("something else");
        assert_eq!(counts.unseen_errors().len(), 9);
        let text = counts.text();
        assert!(text.contains("1  ErrNoMergeKey\n"), "{text}");
        assert!(text.contains("0  ErrBadJSONDoc\n"), "{text}");
        assert!(text.contains("0  ErrPatchContentNotMatchRetainKeys: the library"), "{text}");
    }
}
