//! Documents: where the schemas stand in them, and what they are called.

use std::collections::HashSet;

use super::keywords::Spot;
use crate::document::{Doc, OwnedDoc, OwnedMap, OwnedText, Text};
use crate::error::{Error, ErrorKind};
use crate::field_path::PathSegment;
use crate::schema::{Declarations, FieldDecl, Marker, PatchMeta, TypeDecl, TypeExpr};

/// Reads the schemas of a document; which of the three kinds it is, is told by what it holds: `definitions`
/// (`OpenAPI` v2), `components.schemas` (v3), or `kind: CustomResourceDefinition`.
///
/// The types come in the order of their names. Errors are of kind [`ErrorKind::InvalidSchema`], or
/// [`ErrorKind::TooDeep`] for schemas that nest deeper than [`super::MAX_NESTING`]; all are returned at once.
pub fn read(document: &OwnedDoc) -> Result<Declarations, Vec<Error>> {
    let mut reader = Reader::default();
    reader.document(document);
    if reader.errors.is_empty() { Ok(Declarations { types: reader.types }) } else { Err(reader.errors) }
}

/// The state of reading one document.
#[derive(Default)]
pub(super) struct Reader {
    /// What references begin with: `#/definitions/`. Empty where there can be none.
    pub(super) prefix: &'static str,
    /// Names that references can have.
    pub(super) defined: HashSet<OwnedText>,
    /// A document that a server publishes, with Go's zero values as defaults.
    pub(super) published: bool,
    pub(super) types: Vec<TypeDecl>,
    /// All names of types, so that those given to nested schemas collide with none.
    pub(super) names: HashSet<String>,
    pub(super) errors: Vec<Error>,
    pub(super) path: Vec<PathSegment>,
    pub(super) depth: usize,
}

impl Reader {
    /// Reports an error at the present place.
    pub(super) fn error(&mut self, message: impl Into<String>) {
        self.error_of(ErrorKind::InvalidSchema, message);
    }

    pub(super) fn error_of(&mut self, kind: ErrorKind, message: impl Into<String>) {
        let error = self.path.iter().rev().fold(Error::new(kind, message), |error, segment| match segment {
            PathSegment::Key(key) => error.at(key),
            PathSegment::Index(index) => error.at_index(*index),
        });
        self.errors.push(error);
    }

    /// Goes down to a key.
    pub(super) fn at<T>(&mut self, key: &str, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.at_segment(PathSegment::Key(Text::from(key)), inside)
    }

    /// Goes down to an item.
    pub(super) fn at_index<T>(&mut self, index: usize, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.at_segment(PathSegment::Index(index), inside)
    }

    fn at_segment<T>(&mut self, segment: PathSegment, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(segment);
        let result = inside(self);
        self.path.pop();
        result
    }

    /// The map that a value is; another kind is reported.
    pub(super) fn map<'v>(&mut self, value: &'v OwnedDoc) -> Option<&'v OwnedMap> {
        if value.as_map().is_none() {
            self.error(format!("a map is due here, and this is {}", value.kind().with_article()));
        }
        value.as_map()
    }

    /// The string that a value is; another kind is reported.
    pub(super) fn string<'v>(&mut self, value: &'v OwnedDoc) -> Option<&'v str> {
        if value.as_str().is_none() {
            self.error(format!("a string is due here, and this is {}", value.kind().with_article()));
        }
        value.as_str()
    }

    /// The value under a key, which must be there.
    pub(super) fn value_at<'v>(&mut self, map: &'v OwnedMap, key: &str) -> Option<&'v OwnedDoc> {
        let value = map.get(key);
        if value.is_none() {
            self.at(key, |reader| reader.error("missing"));
        }
        value
    }

    /// The string under a key, which must be there.
    pub(super) fn string_at<'v>(&mut self, map: &'v OwnedMap, key: &str) -> Option<&'v str> {
        let value = self.value_at(map, key)?;
        self.at(key, |reader| reader.string(value))
    }

    /// The map under a key, which must be there.
    pub(super) fn map_at<'v>(&mut self, map: &'v OwnedMap, key: &str) -> Option<&'v OwnedMap> {
        let value = self.value_at(map, key)?;
        self.at(key, |reader| reader.map(value))
    }

    fn document(&mut self, document: &OwnedDoc) {
        let Some(document) = self.map(document) else { return };
        let schemas = document.get("components").and_then(Doc::as_map).and_then(|c| c.get("schemas"));
        let definition = document.get("kind").and_then(Doc::as_str) == Some("CustomResourceDefinition");
        if let Some(definitions) = document.get("definitions") {
            self.published("#/definitions/");
            self.at("definitions", |reader| reader.definitions(definitions));
        } else if let Some(schemas) = schemas {
            self.published("#/components/schemas/");
            self.at("components", |reader| reader.at("schemas", |reader| reader.definitions(schemas)));
        } else if definition {
            self.custom_resource(document);
        } else {
            self.error(
                "this is no schema: `definitions` (OpenAPI v2), `components.schemas` (OpenAPI v3) or \
                 `kind: CustomResourceDefinition` is due",
            );
        }
    }

    fn published(&mut self, prefix: &'static str) {
        self.prefix = prefix;
        self.published = true;
    }

    fn definitions(&mut self, definitions: &OwnedDoc) {
        let Some(definitions) = self.map(definitions) else { return };
        self.defined = definitions.keys().cloned().collect();
        self.names = definitions.keys().map(Text::to_string).collect();
        for (name, schema) in definitions.iter() {
            self.at(name, |reader| {
                if name.is_empty() {
                    reader.error("a type must have a name");
                }
                reader.definition(name, schema, Vec::new());
            });
        }
    }

    /// Reads a named schema into a type, which comes before the types of the schemas in it.
    pub(super) fn definition(&mut self, name: &str, schema: &OwnedDoc, mut markers: Vec<Marker>) {
        let Some(schema) = self.map(schema) else { return };
        self.keywords(schema, Spot::Type);
        let class = self.class(schema);
        markers.extend(self.type_markers(schema, &class));
        self.declare(name, schema, class, markers);
    }
}

/// A field that no list of required ones names.
pub(super) fn optional_field(name: &str, ty: TypeExpr) -> FieldDecl {
    FieldDecl {
        name: name.to_owned(),
        go_name: String::new(),
        ty,
        inline: false,
        omit_empty: true,
        omit_zero: false,
        required: Some(false),
        default: None,
        patch: PatchMeta::default(),
        markers: Vec::new(),
        line: 0,
    }
}
