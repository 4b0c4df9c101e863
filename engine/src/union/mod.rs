//! The admission of objects whose types have unions.
//!
//! [`admit`] normalizes and validates the unions of a written object under a union [`policy`].
//! [`admit_and_validate_types`] also validates the object against its types. The module [`crate::schema::union`] reads
//! the declarations of unions.

mod admit;
mod implementation;
pub mod policy;
mod types;

pub use admit::{Admitted, admit, admit_and_validate_types, admit_with, review};
pub use implementation::{EngineOnly, UnionImplementation, UnionRequest};

#[cfg(test)]
#[cfg(feature = "go")]
mod tests;
