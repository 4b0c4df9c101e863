//! Reading the members of a document, with the path of each error.

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};
use skewer_engine::error::{Error, ErrorKind};
use skewer_engine::field_path::PathSegment;

/// Maximum number of errors that are collected.
const MAX_ERRORS: usize = 100;

/// The errors found so far, and the path of the value that is being read.
#[derive(Debug, Default)]
pub(super) struct Fields {
    path: Vec<PathSegment>,
    errors: Vec<Error>,
}

impl Fields {
    /// Reports an error at the current path.
    pub(super) fn error(&mut self, message: impl Into<String>) {
        if self.errors.len() < MAX_ERRORS {
            let error = Error::new(ErrorKind::InvalidSchema, message);
            self.errors.push(self.path.iter().rev().fold(error, |error, segment| match segment {
                PathSegment::Key(key) => error.at(key),
                PathSegment::Index(index) => error.at_index(*index),
            }));
        }
    }

    /// Returns the value, or all errors if there are any.
    pub(super) fn finish<T>(self, value: Option<T>) -> Result<T, Vec<Error>> {
        match value {
            Some(value) if self.errors.is_empty() => Ok(value),
            _ => Err(self.errors),
        }
    }

    /// Calls `read` with a key added to the current path.
    pub(super) fn at_key<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.at(PathSegment::Key(key.into()), read)
    }

    /// Calls `read` with an index added to the current path.
    pub(super) fn at_index<T>(&mut self, index: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        self.at(PathSegment::Index(index), read)
    }

    fn at<T>(&mut self, segment: PathSegment, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(segment);
        let result = read(self);
        self.path.pop();
        result
    }

    /// Returns the value of a member that fits. Reports an error if it does not fit. A member that is null is absent.
    fn member<'d, T>(
        &mut self,
        map: &'d OwnedMap,
        key: &str,
        expected: &str,
        convert: impl FnOnce(&'d OwnedDoc) -> Option<T>,
    ) -> Option<T> {
        let value = map.get(key).filter(|value| !value.is_null())?;
        let converted = convert(value);
        if converted.is_none() {
            let found = value.kind().with_article();
            self.at_key(key, |fields| fields.error(format!("expected {expected}, found {found}")));
        }
        converted
    }

    /// Returns a member that is a map.
    pub(super) fn map<'d>(&mut self, map: &'d OwnedMap, key: &str) -> Option<&'d OwnedMap> {
        self.member(map, key, "a map", Doc::as_map)
    }

    /// Returns a member that is a list. Empty if the member is absent.
    pub(super) fn list<'d>(&mut self, map: &'d OwnedMap, key: &str) -> &'d [OwnedDoc] {
        self.member(map, key, "a list", Doc::as_list).unwrap_or_default()
    }

    /// Returns a member that is a string.
    pub(super) fn text(&mut self, map: &OwnedMap, key: &str) -> Option<String> {
        self.member(map, key, "a string", |value| value.as_str().map(str::to_owned))
    }

    /// Returns a member that is true or false. False if the member is absent.
    pub(super) fn flag(&mut self, map: &OwnedMap, key: &str) -> bool {
        let flag = self.member(map, key, "true or false", |value| match value {
            Doc::Bool(set) => Some(*set),
            _ => None,
        });
        flag.unwrap_or_default()
    }

    /// Returns a member that is an integer.
    pub(super) fn integer(&mut self, map: &OwnedMap, key: &str) -> Option<i64> {
        self.member(map, key, "an integer", |value| match value {
            Doc::Int(number) => Some(*number),
            _ => None,
        })
    }

    /// Returns a member that is a number.
    pub(super) fn number(&mut self, map: &OwnedMap, key: &str) -> Option<f64> {
        self.member(map, key, "a number", |value| match value {
            #[allow(clippy::cast_precision_loss)] // Upstream keeps limits as floats, too.
            Doc::Int(number) => Some(*number as f64),
            Doc::Float(number) => Some(*number),
            _ => None,
        })
    }

    /// Returns a member that is a list of strings.
    pub(super) fn texts(&mut self, map: &OwnedMap, key: &str) -> Vec<String> {
        let items = self.list(map, key);
        self.at_key(key, |fields| {
            let mut texts = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                match item.as_str() {
                    Some(text) => texts.push(text.to_owned()),
                    None => fields.at_index(index, |fields| {
                        fields.error(format!("expected a string, found {}", item.kind().with_article()));
                    }),
                }
            }
            texts
        })
    }

    /// Returns a member that must exist.
    pub(super) fn required<T>(&mut self, map: &OwnedMap, key: &str, value: Option<T>) -> Option<T> {
        if map.get(key).is_none_or(Doc::is_null) {
            self.at_key(key, |fields| fields.error("missing"));
        }
        value
    }
}
