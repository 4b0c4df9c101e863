//! Unions as they are declared: their members and discriminator, read from markers and extensions.
//!
//! [`Unions::declared`] reads them from Go markers and extensions and checks every rule of declaring them;
//! [`Schema::compile`](crate::schema::Schema::compile) attaches them to their structs, so that a view of the schema
//! has only the members and values that its party knows.

mod declarations;
mod declarative_markers;
mod errors;
mod kep_markers;
mod markers;
mod model;
pub mod openapi;
mod struct_context;
mod type_lookup;

pub use declarations::Unions;
pub use errors::{UnionError, UnionErrorKind};
pub use model::{Cardinality, DeclarationForm, Discriminator, Member, Selection, Union};
pub use struct_context::{IgnoredUnionMarker, MAX_UNION_SIZE};

#[cfg(test)]
#[cfg(feature = "go")]
pub(crate) mod tests;
