//! The admission of objects whose types have unions.
//!
//! [`admit`] normalizes and validates the unions of a written object under a union [`policy`].
//! [`admit_and_validate_types`] also validates the object against its types. The module [`crate::schema::union`] reads
//! the declarations of unions.

mod admit;
mod implementation;
pub mod policy;
mod types;

pub(crate) use admit::admit_with;
pub use admit::{Admitted, admit, admit_and_validate_types, admit_custom_resource};
pub use implementation::UnionRequest;
pub(crate) use implementation::{EngineOnly, UnionImplementation};

#[cfg(test)]
#[cfg(feature = "go")]
mod tests;
