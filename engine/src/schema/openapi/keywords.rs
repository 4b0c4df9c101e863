//! The keywords of schemas that the reader uses, and the keywords that it leaves out.

/// The role of a schema in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemaRole {
    /// A schema that has its own name.
    Definition,
    /// A property of an object.
    Property,
    /// The items of a list, or the values of a map.
    Nested,
}

/// Keywords that determine the type.
pub(super) const READ: [&str; 13] = [
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

/// Keywords that only validate or describe, so that they do not affect patches. If a schema has a type, its `allOf`,
/// `anyOf` and `oneOf` also only validate.
pub(super) const LEFT_OUT: [&str; 23] = [
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
pub(super) const LIST_TYPE: &str = "x-kubernetes-list-type";
pub(super) const LIST_MAP_KEYS: &str = "x-kubernetes-list-map-keys";
pub(super) const MAP_TYPE: &str = "x-kubernetes-map-type";
pub(super) const UNIONS: &str = "x-kubernetes-unions";
pub(super) const GROUP_VERSION_KIND: &str = "x-kubernetes-group-version-kind";
pub(super) const EMBEDDED_RESOURCE: &str = "x-kubernetes-embedded-resource";
pub(in crate::schema) const PRESERVE_UNKNOWN: &str = "x-kubernetes-preserve-unknown-fields";
pub(super) const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
/// An extension of this project. It means that the Go type of a property is a pointer.
pub(super) const GO_POINTER: &str = "x-skewer-go-pointer";
/// The name that tools use for `nullable` in v2, which does not have this keyword.
pub(super) const NULLABLE_V2: &str = "x-nullable";

/// Returns the name of the extension for a struct tag of Go. As in upstream, the extension for `patchMergeKey` is
/// `x-kubernetes-patch-merge-key`.
#[must_use]
pub fn tag_extension(tag: &str) -> String {
    let mut extension = "x-kubernetes-".to_owned();
    for c in tag.chars() {
        if c.is_uppercase() {
            extension.push('-');
        }
        extension.extend(c.to_lowercase());
    }
    extension
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_is_named_after_its_tag() {
        assert_eq!(tag_extension("patchStrategy"), PATCH_STRATEGY);
        assert_eq!(tag_extension("patchMergeKey"), PATCH_MERGE_KEY);
        assert_eq!(tag_extension("listMapKeys"), LIST_MAP_KEYS);
    }
}
