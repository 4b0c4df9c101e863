//! Whether an API server accepts a definition. Upstream: `ValidateCustomResourceDefinition` and
//! `ValidateCustomResourceDefinitionUpdate` of `apiextensions-apiserver`, package `apis/apiextensions/validation`.
//!
//! Not checked: the cost of rules, and the certificates and URLs of webhooks.

mod defaults;
mod keywords;
mod names;
mod raw;
mod structural;
#[cfg(test)]
mod tests;
mod update;
mod versions;

use super::CustomResourceDefinition;
use crate::document::{Doc, OwnedMap};
use crate::error::{Error, ErrorKind};
use crate::field_path::{FieldPath, PathSegment};

impl CustomResourceDefinition {
    /// Returns the errors because of which an API server of the newest release refuses to create the definition. Their paths
    /// are paths of the document that was read.
    #[must_use]
    pub fn check(&self) -> Vec<Error> {
        self.problems().into_iter().map(|problem| problem.error).collect()
    }

    /// Returns the errors because of which an API server of the newest release refuses the definition as an update of
    /// another one, which is established. Their paths are paths of the document that was read.
    ///
    /// An error of a class that the old definition has, too, is not reported if servers began to report the class after they
    /// had accepted such definitions.
    #[must_use]
    pub fn check_update(&self, old: &CustomResourceDefinition) -> Vec<Error> {
        update::check(self, old)
    }

    fn problems(&self) -> Vec<Problem> {
        let mut checker = Checker::default();
        if let Some(document) = self.source.as_map() {
            names::check(&mut checker, document);
            if let Some(spec) = raw::map(document, "spec") {
                checker.at(&["spec"], |checker| versions::check(checker, spec, self));
            }
        }
        checker.problems
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Always,
    /// The items of a set are not atomic.
    AtomicSet,
    /// Keys of a list of type `map` can be missing or null, or items can be null.
    ListKeys,
    /// A default has unknown fields.
    PrunedDefault,
    /// A group of the Kubernetes community has no approval.
    Approval,
    /// `spec.preserveUnknownFields` is set.
    PreservedFields,
}

struct Problem {
    class: Class,
    error: Error,
}

/// The errors found so far, and the path of what is being checked.
#[derive(Default)]
struct Checker {
    path: FieldPath,
    problems: Vec<Problem>,
}

impl Checker {
    /// Calls a function with a longer path.
    fn at<T>(&mut self, keys: &[&str], check: impl FnOnce(&mut Self) -> T) -> T {
        for key in keys {
            self.path.push(PathSegment::Key((*key).into()));
        }
        let result = check(self);
        for _ in keys {
            self.path.pop();
        }
        result
    }

    /// Calls a function with an index added to the path.
    fn at_index<T>(&mut self, index: usize, check: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(PathSegment::Index(index));
        let result = check(self);
        self.path.pop();
        result
    }

    /// Reports an error at the current path.
    fn report(&mut self, message: impl Into<String>) {
        self.report_as(Class::Always, message);
    }

    /// Reports an error of a class at the current path.
    fn report_as(&mut self, class: Class, message: impl Into<String>) {
        let error = Error::new(ErrorKind::InvalidSchema, message).with_path(Some(self.path.clone()));
        self.problems.push(Problem { class, error });
    }

    /// Reports an error at a member of the current value.
    fn report_at(&mut self, key: &str, message: impl Into<String>) {
        self.at(&[key], |checker| checker.report(message));
    }

    /// Reports an error at a member if a text does not fit.
    fn check_text(&mut self, map: &OwnedMap, key: &str, is_valid: impl Fn(&str) -> bool, message: &str) {
        if map.get(key).and_then(Doc::as_str).is_some_and(|text| !text.is_empty() && !is_valid(text)) {
            self.report_at(key, message);
        }
    }

    /// Reports an error at a member that is missing or empty.
    fn require(&mut self, map: &OwnedMap, key: &str) {
        if raw::is_empty(map.get(key)) {
            self.report_at(key, "missing");
        }
    }
}
