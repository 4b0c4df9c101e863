//! Types and their patch metadata.
//!
//! The readers of Go, of `OpenAPI` and of the embedded releases return [`Declarations`], in which types refer to each
//! other by name. [`Schema::compile`] turns declarations into a [`Schema`], in which types refer to each other by id.

#[cfg(feature = "builtin")]
#[cfg_attr(docsrs, doc(cfg(feature = "builtin")))]
pub mod builtin;
mod compiled;
mod compiler;
pub mod declarations;
mod edit;
mod embedding;
mod error_limit;
mod field_meta;
#[cfg(feature = "go")]
#[cfg_attr(docsrs, doc(cfg(feature = "go")))]
pub mod go;
mod kinds;
mod metadata_tag;
pub mod openapi;
mod overlay;
mod patch_meta;
mod resolution;
mod schema_unions;
mod topology_check;
mod type_topology;
pub mod union;
mod view;
mod well_known;

pub use compiled::{EnumType, Field, Schema, StructType, Type, TypeId, TypeTopology};
pub use declarations::{Declarations, EnumValue, FieldDecl, Marker, ScalarType, Shape, TypeDecl, TypeExpr};
pub use edit::FieldTag;
pub use embedding::{MAX_EMBEDDED, MAX_EMBEDDING_DEPTH};
pub use error_limit::MAX_ERRORS;
pub use field_meta::{FieldMeta, PatchStrategy, Required};
pub use kinds::Kinds;
pub use metadata_tag::{MetadataTag, MetadataTags, TagCheck, TagDeclaration, TagForm};
pub use overlay::OverlayConflict;
pub use patch_meta::{ListType, MapType, PatchMeta};
pub use view::SchemaElement;
pub use well_known::type_of_metadata;
