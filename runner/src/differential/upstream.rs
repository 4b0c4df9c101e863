//! The errors of `k8s.io/apimachinery/pkg/util/mergepatch`, known by their messages.
//!
//! Several of them come to one kind of ours. A run against the library counts them one by one, so that it shows
//! which of its refusals were reached.

use std::collections::BTreeMap;
use std::fmt::Write;

/// An error of the library.
#[derive(Debug)]
pub(super) struct UpstreamError {
    /// What the library calls it.
    name: &'static str,
    /// Why it is never met, if so.
    never: Option<&'static str>,
    is: fn(&str) -> bool,
}

/// All errors of `mergepatch/errors.go`.
static ERRORS: [UpstreamError; 13] = [
    of("ErrBadArgType", |text| text.starts_with("expected a ") && !text.starts_with("expected a struct")),
    of("ErrBadJSONDoc", |text| text == "invalid JSON document"),
    of("ErrBadPatchFormatForPrimitiveList", |text| text == "invalid patch format of primitive list"),
    of("ErrBadPatchFormatForRetainKeys", |text| text == "invalid patch format of retainKeys"),
    of("ErrBadPatchFormatForSetElementOrderList", |text| {
        text == "invalid patch format of setElementOrder list"
    }),
    of("ErrBadPatchType", |text| text.starts_with("unknown patch type: ")),
    of("ErrConflict", |text| text.starts_with("patch:\n")),
    of("ErrNoListOfLists", |text| text == "lists of lists are not supported"),
    of("ErrNoMergeKey", |text| text.contains("does not contain declared merge key: ")),
    of("ErrPreconditionFailed", |text| text.starts_with("precondition failed for: ")),
    of("ErrUnsupportedStrategicMergePatchFormat", |text| {
        text == "strategic merge patch format is not supported"
    }),
    UpstreamError {
        name: "ErrBadArgKind",
        never: Some("it is about Go types that are no structs, not about documents"),
        is: |text| text.starts_with("expected a struct, but received a "),
    },
    UpstreamError {
        name: "ErrPatchContentNotMatchRetainKeys",
        never: Some("the library declares it and never returns it"),
        is: |text| text == "patch content doesn't match retainKeys list",
    },
];

const fn of(name: &'static str, is: fn(&str) -> bool) -> UpstreamError {
    UpstreamError { name, never: None, is }
}

/// How many of each error there were.
#[derive(Clone, Debug, Default)]
pub struct UpstreamCounts(BTreeMap<&'static str, u64>);

impl UpstreamCounts {
    /// Counts a refusal of the target.
    pub(super) fn count(&mut self, message: &str) {
        if let Some(error) = ERRORS.iter().find(|error| (error.is)(message)) {
            *self.0.entry(error.name).or_default() += 1;
        }
    }

    /// The errors that documents can lead to and have not led to.
    #[must_use]
    pub fn not_met(&self) -> Vec<&'static str> {
        let possible = ERRORS.iter().filter(|error| error.never.is_none()).map(|error| error.name);
        possible.filter(|name| !self.0.contains_key(name)).collect()
    }

    /// The table; empty for a target that none of the messages comes from.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        if self.0.is_empty() {
            return text;
        }
        text.push_str("\nerrors of k8s.io/apimachinery/pkg/util/mergepatch:\n");
        for error in &ERRORS {
            let count = self.0.get(error.name).copied().unwrap_or_default();
            let never = error.never.filter(|_| count == 0);
            let why = never.map(|why| format!(": {why}")).unwrap_or_default();
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
        let mut counts = UpstreamCounts::default();
        assert_eq!(counts.text(), "");
        counts.count("map: map[a:1] does not contain declared merge key: name");
        counts.count("expected a map[string]interface {}, but received a []interface {}");
        counts.count("something else");
        assert_eq!(counts.not_met().len(), 9);
        let text = counts.text();
        assert!(text.contains("1  ErrNoMergeKey\n"), "{text}");
        assert!(text.contains("0  ErrBadJSONDoc\n"), "{text}");
        assert!(text.contains("0  ErrPatchContentNotMatchRetainKeys: the library"), "{text}");
    }
}
