//! The state of reading a document: the path to the current schema, the types and the errors so far.

use std::collections::HashSet;
use std::rc::Rc;

use super::keywords::{
    GROUP_VERSION_KIND, LEFT_OUT, PATCH_MERGE_KEY, PATCH_STRATEGY, READ, SchemaRole, UNIONS, tag_extension,
};
use crate::document::{Doc, OwnedDoc, OwnedMap, OwnedText, Text};
use crate::error::{Error, ErrorKind};
use crate::field_path::PathSegment;
use crate::schema::error_limit::{MAX_ERRORS, more_errors};
use crate::schema::{Marker, MetadataTags, TypeDecl};

/// Maximum number of types, fields and values of enums in a document. Each of them can take a hundred times as much
/// memory as the text that declares it. Kubernetes has 20,000 in all.
pub const MAX_DECLARED: usize = 500_000;

/// The prefix of references in v3.
pub(super) const V3_PREFIX: &str = "#/components/schemas/";

/// The state of reading one document.
#[derive(Default)]
pub(super) struct Reader {
    /// The metadata tags that directives declare.
    pub(super) tags: MetadataTags,
    /// The tags that are not words of `patchStrategy`, with the names of their extensions.
    pub(super) tag_extensions: Rc<[(&'static str, String)]>,
    /// The prefix of references, such as `#/definitions/`. Empty if the document cannot have references.
    pub(super) reference_prefix: &'static str,
    /// The names to which references can refer.
    pub(super) defined: HashSet<OwnedText>,
    /// Whether the document was published by a server, which writes zero values of Go as defaults.
    pub(super) is_published: bool,
    pub(super) types: Vec<TypeDecl>,
    /// The names of all types. The names of nested schemas must differ from them.
    pub(super) type_names: HashSet<String>,
    pub(super) errors: Vec<Error>,
    /// The number of types, fields and values of enums so far.
    declared: usize,
    /// The number of errors beyond [`MAX_ERRORS`], and the path of the first.
    unlisted: usize,
    first_unlisted: Vec<PathSegment>,
    /// The path to the current schema.
    path: Vec<PathSegment>,
    /// Whether a schema that contains the current schema keeps unknown fields. The current schema then does so, too.
    pub(super) keeps_unknown_fields: bool,
    /// The number of schemas that contain the current schema.
    pub(super) depth: usize,
}

impl Reader {
    /// Creates a reader of documents that can have these metadata tags.
    pub(super) fn new(tags: &MetadataTags) -> Self {
        let tag_extensions = tags.own_tag_names().map(|tag| (tag, tag_extension(tag))).collect();
        Reader { tags: tags.clone(), tag_extensions, ..Reader::default() }
    }

    /// Returns true for an `OpenAPI` v3 document.
    pub(super) fn is_v3(&self) -> bool {
        self.reference_prefix == V3_PREFIX
    }

    /// Reports an error at the current path.
    pub(super) fn error(&mut self, message: impl Into<String>) {
        self.error_of_kind(ErrorKind::InvalidSchema, message);
    }

    pub(super) fn error_of_kind(&mut self, kind: ErrorKind, message: impl Into<String>) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error_at(&self.path, Error::new(kind, message)));
            return;
        }
        if self.unlisted == 0 {
            self.first_unlisted.clone_from(&self.path);
        }
        self.unlisted += 1;
    }

    /// Counts a type, a field or a value of an enum. Returns false if there are too many, and reports this once.
    pub(super) fn count_declared(&mut self) -> bool {
        self.declared += 1;
        if self.declared == MAX_DECLARED + 1 {
            self.error(format!(
                "the document declares more than {MAX_DECLARED} types, fields and enum values in total"
            ));
        }
        self.declared <= MAX_DECLARED
    }

    /// Returns the types, or all errors if there are any.
    pub(super) fn finish(mut self) -> Result<Vec<TypeDecl>, Vec<Error>> {
        if self.errors.is_empty() {
            return Ok(self.types);
        }
        if self.unlisted > 0 {
            let summary = Error::new(ErrorKind::InvalidSchema, more_errors(self.unlisted));
            self.errors.push(error_at(&self.first_unlisted, summary));
        }
        Err(self.errors)
    }

    /// Calls `read` with the key added to the current path.
    pub(super) fn at_key<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.at_segment(PathSegment::Key(Text::from(key)), read)
    }

    /// Calls `read` with the index added to the current path.
    pub(super) fn at_index<T>(&mut self, index: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        self.at_segment(PathSegment::Index(index), read)
    }

    fn at_segment<T>(&mut self, segment: PathSegment, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(segment);
        let result = read(self);
        self.path.pop();
        result
    }

    /// Returns the value as a map. Reports an error if it has another kind.
    pub(super) fn map<'v>(&mut self, value: &'v OwnedDoc) -> Option<&'v OwnedMap> {
        if value.as_map().is_none() {
            self.error(format!("expected a map, found {}", value.kind().with_article()));
        }
        value.as_map()
    }

    /// Returns the value as a string. Reports an error if it has another kind.
    pub(super) fn string<'v>(&mut self, value: &'v OwnedDoc) -> Option<&'v str> {
        if value.as_str().is_none() {
            self.error(format!("expected a string, found {}", value.kind().with_article()));
        }
        value.as_str()
    }

    /// Returns the value of a key. Reports an error if the key is missing.
    pub(super) fn required_value<'v>(&mut self, map: &'v OwnedMap, key: &str) -> Option<&'v OwnedDoc> {
        let value = map.get(key);
        if value.is_none() {
            self.at_key(key, |reader| reader.error("missing"));
        }
        value
    }

    /// Returns the string that a key has. Reports an error if the key is missing or has another value.
    pub(super) fn string_at<'v>(&mut self, map: &'v OwnedMap, key: &str) -> Option<&'v str> {
        let value = self.required_value(map, key)?;
        self.at_key(key, |reader| reader.string(value))
    }

    /// Returns the map that a key has. Reports an error if the key is missing or has another value.
    pub(super) fn map_at<'v>(&mut self, map: &'v OwnedMap, key: &str) -> Option<&'v OwnedMap> {
        let value = self.required_value(map, key)?;
        self.at_key(key, |reader| reader.map(value))
    }

    /// Returns the value of a boolean keyword. Reports an error if the value is not a boolean.
    pub(super) fn flag(&mut self, schema: &OwnedMap, key: &str) -> bool {
        match schema.get(key) {
            None => false,
            Some(Doc::Bool(set)) => *set,
            Some(other) => {
                let message = format!("expected true or false, found {}", other.kind().with_article());
                self.at_key(key, |reader| reader.error(message));
                false
            }
        }
    }

    /// Reports unknown keywords, and extensions that a schema in this role cannot have.
    pub(super) fn check_keywords(&mut self, schema: &OwnedMap, role: SchemaRole) {
        for key in schema.keys() {
            let is_patch_metadata = |key: &str| {
                matches!(key, PATCH_STRATEGY | PATCH_MERGE_KEY)
                    || self.tag_extensions.iter().any(|(_, extension)| extension == key)
            };
            let problem = match key.as_str() {
                key if role != SchemaRole::Property && is_patch_metadata(key) => {
                    "patch metadata belongs to a property"
                }
                UNIONS
                    if role != SchemaRole::Property
                        && schema.get(key).is_some_and(|v| v.as_map().is_some()) =>
                {
                    "this form of unions belongs to the property of the discriminator"
                }
                GROUP_VERSION_KIND if role != SchemaRole::Definition => "only a named type has a kind",
                key if key.starts_with("x-") || READ.contains(&key) || LEFT_OUT.contains(&key) => continue,
                _ => "this keyword is not understood",
            };
            self.at_key(key, |reader| reader.error(problem));
        }
    }

    /// Returns a name for a nested schema that no other type has, and reserves it.
    pub(super) fn reserve_name(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while !self.type_names.insert(name.clone()) {
            // The document itself may define a type with this name.
            name.push('_');
        }
        name
    }
}

fn error_at(path: &[PathSegment], error: Error) -> Error {
    path.iter().rev().fold(error, |error, segment| match segment {
        PathSegment::Key(key) => error.at(key),
        PathSegment::Index(index) => error.at_index(*index),
    })
}

/// Returns a marker with a value.
pub(super) fn marker_with_value(name: &str, value: &str) -> Marker {
    Marker::new(name, format!("={value}"))
}
