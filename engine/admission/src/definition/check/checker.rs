//! The errors of a definition, found while a document is walked.

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};
use skewer_engine::error::{Error, ErrorKind};
use skewer_engine::field_path::{FieldPath, PathSegment};

use super::raw;
use crate::reason::ServerReason;

/// A class of errors. Those of the other classes than [`Class::Always`] are not reported for a definition that replaces one
/// which has them, too.
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
    /// `spec.preserveUnknownFields` is set.
    PreservedFields,
    /// A type is unknown.
    UnknownType,
    /// A version has no schema.
    MissingSchema,
    /// No version of the reviews of a webhook is known.
    ReviewVersions,
    /// A schema is not structural.
    NotStructural,
}

/// An error of a definition.
pub(super) struct Problem {
    pub(super) class: Class,
    pub(super) reason: ServerReason,
    pub(super) error: Error,
    /// Whether the error is about the change of an older definition.
    pub(super) is_about_change: bool,
    /// The path of the schema that has the error, which can be about a schema inside of it.
    pub(super) owner: FieldPath,
}

impl Problem {
    /// Returns the error as servers print it: the reason comes before the message.
    pub(super) fn into_error(self) -> Error {
        let message = format!("{}: {}", self.reason, self.error.message());
        Error::new(ErrorKind::InvalidSchema, message).with_path(Some(self.error.path().clone()))
    }
}

/// The errors found so far, and the path of what is being checked.
#[derive(Default)]
pub(super) struct Checker {
    pub(super) path: FieldPath,
    pub(super) problems: Vec<Problem>,
    /// The classes of errors that are not reported.
    pub(super) ignored: Vec<Class>,
    /// The decoded document of the definition that is replaced.
    pub(super) old: Option<OwnedDoc>,
    /// The path of the schema whose keywords are checked.
    pub(super) owner: FieldPath,
    /// Whether the schema did not change. Servers accept its expensive rules then, unless all together are too expensive.
    pub(super) ignores_costs: bool,
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

    /// Returns a member of the definition that is replaced, if there is one.
    pub(super) fn old_member(&self, key: &str) -> Option<&OwnedMap> {
        raw::map(self.old.as_ref()?.as_map()?, key)
    }

    /// Returns the metadata of the definition that is replaced, if there is one.
    pub(super) fn old_metadata(&self) -> Option<OwnedMap> {
        self.old.as_ref()?;
        Some(self.old_member("metadata").cloned().unwrap_or_default())
    }

    pub(super) fn ignores(&self, class: Class) -> bool {
        self.ignored.contains(&class)
    }

    /// Reports an error at the current path.
    pub(super) fn report(&mut self, reason: ServerReason, message: impl Into<String>) {
        self.report_as(Class::Always, reason, message);
    }

    /// Reports an error of a class at the current path.
    pub(super) fn report_as(&mut self, class: Class, reason: ServerReason, message: impl Into<String>) {
        self.add(class, reason, &Error::new(ErrorKind::InvalidSchema, message));
    }

    /// Reports an error whose path begins at the current one.
    pub(super) fn add(&mut self, class: Class, reason: ServerReason, error: &Error) {
        if !self.ignores(class) {
            let error = error.clone().at_path(&self.path);
            self.problems.push(Problem {
                class,
                reason,
                error,
                is_about_change: false,
                owner: self.owner.clone(),
            });
        }
    }

    /// Reports an error at a member of the current value.
    pub(super) fn report_at(&mut self, key: &str, reason: ServerReason, message: impl Into<String>) {
        self.at(&[key], |checker| checker.report(reason, message));
    }

    /// Reports an error at a member if a text does not fit. A text that is missing or empty fits.
    pub(super) fn check_text(
        &mut self,
        map: &OwnedMap,
        key: &str,
        is_valid: impl Fn(&str) -> bool,
        message: &str,
    ) {
        if map.get(key).and_then(Doc::as_str).is_some_and(|text| !text.is_empty() && !is_valid(text)) {
            self.report_at(key, ServerReason::Invalid, message);
        }
    }

    /// Reports an error at a member that is missing or empty.
    pub(super) fn require(&mut self, map: &OwnedMap, key: &str) {
        if raw::is_empty(map.get(key)) {
            self.report_at(key, ServerReason::Required, "missing");
        }
    }
}
