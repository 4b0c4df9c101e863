//! Reads and writes the schemas that API servers publish: `OpenAPI` v2 and v3, and `CustomResourceDefinition`.
//!
//! ```
//! # #[cfg(feature = "go")] {
//! use skewer_engine::schema::{go, openapi};
//!
//! let declared = go::read(
//!     r#"
//!     type ServiceSpec struct {
//! Ports []string `json:"ports" patchStrategy:"merge" patchMergeKey:"port" recommendedPatchMergeKey:"port,protocol"`
//!     }
//!     "#,
//! )
//! .unwrap();
//! let published = openapi::write_v3(&declared);
//! let read = openapi::read(&published).unwrap();
//! assert_eq!(openapi::write_v3(&read), published);
//! # }
//! ```
//!
//! # Mapping
//!
//! | in the document | in the declarations |
//! |---|---|
//! | `definitions`, `components.schemas` | types of the same names |
//! | a nested schema with `properties` or string `enum` | a type named `Parent.property` (`Parent.items` in a named list or map) |
//! | `$ref`; in v3 also `allOf` with one `$ref`, and whatever stands beside a `$ref` has no part in its type | the named type |
//! | in v3 `allOf` with one other schema | the type of that schema |
//! | `x-kubernetes-patch-strategy`, `-patch-merge-key`, `-list-type`, `-list-map-keys` and the tags that directives declare ([`tag_extension`]) on a property | its patch metadata |
//! | `-list-type` and `-list-map-keys` elsewhere | markers `listType`, `listMapKey` of a named type |
//! | `x-kubernetes-map-type` | marker `mapType` of the field, `structType` of a struct |
//! | `required`; absence from it | required; optional and `omitempty`, as upstream derives the list |
//! | `nullable` (v2: `x-nullable`) of a property | marker `nullable` |
//! | `x-skewer-go-pointer` of a property, which is our own | a pointer |
//! | `x-kubernetes-unions` as KEP-1027 defines it, on a property | markers `unionDiscriminator`, `unionMember=VALUE[,optional]` and, with several unions in one struct, `unionDiscriminatedBy=property` |
//! | `x-kubernetes-unions` as a list, on an object (the older form) | a marker of that name, with the JSON as its value |
//! | `x-kubernetes-group-version-kind`, `-embedded-resource`, `-preserve-unknown-fields` | likewise |
//! | `x-kubernetes-int-or-string`, `oneOf` or `anyOf` of text and a number | [`ScalarType::IntOrString`](super::ScalarType) |
//! | an object without properties | a map of anything |
//! | a schema without a type and without properties, whatever else it has (`items`, `additionalProperties`; in v2 `allOf`) | anything, as in kube-openapi |
//!
//! Each version of a `CustomResourceDefinition` becomes a type. The type has the name under which servers publish it
//! (`com.example.v1.CronTab`), a marker with its kind, and the fields `apiVersion`, `kind` and `metadata`, which
//! servers add.
//!
//! # What is left out, and what is refused
//!
//! The reader leaves out keywords that only validate or describe (`pattern`, `minimum`, `description`, `anyOf` beside a
//! type, …; see `keywords.rs`), extensions that are not in the table, defaults and `nullable` of list items and map
//! values. In v2 and v3 documents, it also leaves out the zero values that servers publish as defaults for every Go
//! field that is not a pointer: `{}` for a named type, and `""`, `0` or `false` for a required field.
//!
//! Everything else that is not in the table is refused with its path. All errors are returned at once, up to
//! [`MAX_ERRORS`](super::MAX_ERRORS). The schemas of a `CustomResourceDefinition` must be structural. They have no
//! references, and every schema has a type, unless an extension declares any JSON or a number or text. As on a server,
//! the type decides which other keywords are read, unknown keywords and null mean nothing, and a definition of
//! `apiextensions.k8s.io/v1beta1` is converted.
//!
//! The writer writes everything that the table contains. It cannot write declarations of Go without an equivalent in
//! `OpenAPI`: pointers other than the type of a field, Go names, constants of types without `+enum`, and other markers.

mod custom_resource;
mod definition_document;
mod definitions;
mod document;
mod extensions;
mod keywords;
mod reader;
mod schema_form;
mod unions;
mod write;
mod write_custom_resource;
mod write_unions;

pub use custom_resource::published_name;
pub use definition_document::{decode_definition, is_old_definition};
pub use definitions::MAX_NESTING;
pub use document::{read, read_with_tags};
pub(super) use keywords::PRESERVE_UNKNOWN;
pub use keywords::tag_extension;
pub use reader::MAX_DECLARED;
pub use write::{write_v2, write_v3};
pub use write_custom_resource::{CustomResource, MAX_WRITTEN_OUT, write_custom_resource};

#[cfg(test)]
mod tests;
