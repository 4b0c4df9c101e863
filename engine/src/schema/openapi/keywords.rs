//! The keywords of schemas: which are read, which are left out, and which extensions stand where.

use super::document::Reader;
use crate::document::{Doc, OwnedMap};

/// Where a schema stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// Under a name of its own.
    Type,
    /// A property of an object.
    Property,
    /// The items of a list, or the values of a map.
    Inner,
}

/// Keywords that say what a document looks like.
const READ: [&str; 13] = [
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "default",
    "enum",
    "format",
    "items",
    "nullable",
    "oneOf",
    "properties",
    "required",
    "type",
];

/// Keywords that validate or describe: no part of how documents are patched. `allOf`, `anyOf` and `oneOf` beside a
/// type only validate as well.
const LEFT_OUT: [&str; 23] = [
    "deprecated",
    "description",
    "example",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "externalDocs",
    "id",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "pattern",
    "readOnly",
    "title",
    "uniqueItems",
    "writeOnly",
];

pub(super) const PATCH_STRATEGY: &str = "x-kubernetes-patch-strategy";
pub(super) const PATCH_MERGE_KEY: &str = "x-kubernetes-patch-merge-key";
pub(super) const RECOMMENDED_MERGE_KEY: &str = "x-kubernetes-recommended-patch-merge-key";
pub(super) const LIST_TYPE: &str = "x-kubernetes-list-type";
pub(super) const LIST_MAP_KEYS: &str = "x-kubernetes-list-map-keys";
pub(super) const MAP_TYPE: &str = "x-kubernetes-map-type";
pub(super) const UNIONS: &str = "x-kubernetes-unions";
pub(super) const GROUP_VERSION_KIND: &str = "x-kubernetes-group-version-kind";
pub(super) const EMBEDDED_RESOURCE: &str = "x-kubernetes-embedded-resource";
pub(super) const PRESERVE_UNKNOWN: &str = "x-kubernetes-preserve-unknown-fields";
pub(super) const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
/// Our own: the Go type of a property is a pointer.
pub(super) const GO_POINTER: &str = "x-skewer-go-pointer";
/// `nullable`, which v2 does not have, under the name that its tools use.
pub(super) const NULLABLE_V2: &str = "x-nullable";

impl Reader {
    /// Refuses keywords that are not known, and extensions where they have no meaning.
    pub(super) fn keywords(&mut self, schema: &OwnedMap, spot: Spot) {
        for key in schema.keys() {
            let problem = match key.as_str() {
                PATCH_STRATEGY | PATCH_MERGE_KEY | RECOMMENDED_MERGE_KEY if spot != Spot::Property => {
                    "patch metadata belongs to a property"
                }
                UNIONS if spot != Spot::Property && schema.get(key).is_some_and(|v| v.as_map().is_some()) => {
                    "this form of unions belongs to the property of the discriminator"
                }
                GROUP_VERSION_KIND if spot != Spot::Type => "only a named type has a kind",
                key if key.starts_with("x-") || READ.contains(&key) || LEFT_OUT.contains(&key) => continue,
                _ => "this keyword is not understood",
            };
            self.at(key, |reader| reader.error(problem));
        }
    }

    /// Whether a boolean keyword is set; other values are reported.
    pub(super) fn flag(&mut self, schema: &OwnedMap, key: &str) -> bool {
        match schema.get(key) {
            None => false,
            Some(Doc::Bool(set)) => *set,
            Some(other) => {
                let message =
                    format!("true or false is due here, and this is {}", other.kind().with_article());
                self.at(key, |reader| reader.error(message));
                false
            }
        }
    }
}
