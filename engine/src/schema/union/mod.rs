//! The declarations of unions.
//!
//! [`Unions::declared`] reads the members and discriminators of unions from markers and extensions, and validates the
//! declarations. [`Schema::compile`](crate::schema::Schema::compile) attaches the unions to their structs. A schema
//! view then has only the members and values that its party knows.

mod declarations;
mod declarative_markers;
mod errors;
mod kep_markers;
mod markers;
mod modal_markers;
mod model;
pub mod openapi;
mod struct_context;
mod type_lookup;

pub use declarations::Unions;
pub use errors::{UnionError, UnionErrorKind};
pub use model::{Cardinality, DeclarationForm, Discriminator, Member, ModeRule, Union, UnionSelection};
pub use struct_context::{MAX_UNION_SIZE, UnionWarning};

#[cfg(test)]
#[cfg(feature = "go")]
pub(crate) mod tests;
