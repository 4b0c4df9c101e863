//! The errors of a definition, found while a document is walked.

use skewer_engine::document::{Doc, OwnedMap};
use skewer_engine::error::{Error, ErrorKind};
use skewer_engine::field_path::{FieldPath, PathSegment};

use super::raw;

/// A class of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Errors that are always reported.
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

pub(super) struct Problem {
    pub(super) class: Class,
    pub(super) error: Error,
}

/// The errors found so far, and the path of what is being checked.
#[derive(Default)]
pub(super) struct Checker {
    pub(super) path: FieldPath,
    pub(super) problems: Vec<Problem>,
}

impl Checker {
    /// Calls a function with a longer path.
    pub(super) fn at<T>(&mut self, keys: &[&str], check: impl FnOnce(&mut Self) -> T) -> T {
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
    pub(super) fn at_index<T>(&mut self, index: usize, check: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(PathSegment::Index(index));
        let result = check(self);
        self.path.pop();
        result
    }

    /// Reports an error at the current path.
    pub(super) fn report(&mut self, message: impl Into<String>) {
        self.report_as(Class::Always, message);
    }

    /// Reports an error of a class at the current path.
    pub(super) fn report_as(&mut self, class: Class, message: impl Into<String>) {
        let error = Error::new(ErrorKind::InvalidSchema, message).with_path(Some(self.path.clone()));
        self.problems.push(Problem { class, error });
    }

    /// Reports an error at a member of the current value.
    pub(super) fn report_at(&mut self, key: &str, message: impl Into<String>) {
        self.at(&[key], |checker| checker.report(message));
    }

    /// Reports an error at a member if a text does not fit.
    pub(super) fn check_text(
        &mut self,
        map: &OwnedMap,
        key: &str,
        is_valid: impl Fn(&str) -> bool,
        message: &str,
    ) {
        if map.get(key).and_then(Doc::as_str).is_some_and(|text| !text.is_empty() && !is_valid(text)) {
            self.report_at(key, message);
        }
    }

    /// Reports an error at a member that is missing or empty.
    pub(super) fn require(&mut self, map: &OwnedMap, key: &str) {
        if raw::is_empty(map.get(key)) {
            self.report_at(key, "missing");
        }
    }
}
