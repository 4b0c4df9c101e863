//! Types and their patch metadata.
//!
//! Readers (Go text, OpenAPI, the embedded releases) produce [`Declarations`]: types by name, as declared.
//! [`Schema::compile`] resolves the names, flattens embedded structs and makes field lookup one hash.

pub mod builtin;
mod compiled;
pub mod decl;
pub mod go;
mod kinds;
mod meta;
pub mod openapi;
mod view;

pub use compiled::{EnumType, Field, Schema, StructType, Type, TypeId};
pub use decl::{
    Declarations, EnumValue, FieldDecl, ListType, Marker, PatchMeta, ScalarType, Shape, TypeDecl, TypeExpr,
};
pub use kinds::Kinds;
pub use meta::{FieldMeta, Required, Strategy};
pub use view::{Lack, MetadataTag};
