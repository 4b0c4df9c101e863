//! Unions on a server: what happens to an object of a type with unions that is written.
//!
//! [`admit`] takes an object through a [`policy`]; [`admit_and_validate_types`] also validates it against its types, whatever the
//! policy is. How unions are declared: [`crate::schema::union`].

mod admit;
pub mod policy;
mod types;

pub use admit::{Admitted, admit, admit_and_validate_types};

#[cfg(test)]
#[cfg(feature = "go")]
mod tests;
