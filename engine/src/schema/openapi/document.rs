//! Recognizes the kind of a document, and reads the schemas in it.

use super::definition_document::{decode_definition, is_old_definition};
use super::reader::{Reader, V3_PREFIX};
use crate::document::{Doc, OwnedDoc, Text};
use crate::error::Error;
use crate::schema::{Declarations, MetadataTags};

/// Reads the schemas of a document. The keys determine the kind of the document: `definitions` (`OpenAPI` v2),
/// `components.schemas` (v3), or `kind: CustomResourceDefinition`. The types are sorted by name.
///
/// # Errors
///
/// [`ErrorKind::InvalidSchema`](crate::ErrorKind::InvalidSchema), or [`ErrorKind::TooDeep`](crate::ErrorKind::TooDeep)
/// if schemas nest deeper than [`super::MAX_NESTING`]. All errors are returned at once, up to
/// [`MAX_ERRORS`](crate::schema::MAX_ERRORS).
///
/// Patch metadata can have the tags that registered directives declare.
pub fn read(document: &OwnedDoc) -> Result<Declarations, Vec<Error>> {
    read_with_tags(document, &MetadataTags::registered())
}

/// Reads a document as [`read`] does, with these metadata tags instead of the tags of the registered directives.
///
/// # Errors
///
/// The errors of [`read`].
pub fn read_with_tags(document: &OwnedDoc, tags: &MetadataTags) -> Result<Declarations, Vec<Error>> {
    let mut reader = Reader::new(tags);
    reader.read_document(document);
    reader.finish().map(Declarations::new)
}

impl Reader {
    fn read_document(&mut self, source: &OwnedDoc) {
        let Some(document) = self.map(source) else { return };
        let schemas = document.get("components").and_then(Doc::as_map).and_then(|c| c.get("schemas"));
        let is_custom_resource =
            document.get("kind").and_then(Doc::as_str) == Some("CustomResourceDefinition");
        if let Some(definitions) = document.get("definitions") {
            self.begin_published("#/definitions/");
            self.at_key("definitions", |reader| reader.read_definitions(definitions));
        } else if let Some(schemas) = schemas {
            self.begin_published(V3_PREFIX);
            self.at_key("components", |reader| {
                reader.at_key("schemas", |reader| reader.read_definitions(schemas));
            });
        } else if is_custom_resource {
            let decoded = decode_definition(source);
            self.is_old_definition = is_old_definition(source);
            if let Some(decoded) = decoded.as_map() {
                self.read_custom_resource(decoded);
            }
        } else {
            self.error(
                "the document has no schema: expected `definitions` (OpenAPI v2), `components.schemas` (OpenAPI v3) or \
                 `kind: CustomResourceDefinition`",
            );
        }
    }

    fn begin_published(&mut self, prefix: &'static str) {
        self.reference_prefix = prefix;
        self.is_published = true;
    }

    fn read_definitions(&mut self, definitions: &OwnedDoc) {
        let Some(definitions) = self.map(definitions) else { return };
        self.defined = definitions.keys().cloned().collect();
        self.type_names = definitions.keys().map(Text::to_string).collect();
        for (name, schema) in definitions.iter() {
            self.at_key(name, |reader| {
                if name.is_empty() {
                    reader.error("a type must have a name");
                }
                reader.read_definition(name, schema, Vec::new());
            });
        }
    }
}
