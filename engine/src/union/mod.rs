//! Unions on a server: what happens to an object of a type with unions that is written.
//!
//! [`admit`] takes an object through a [`policy`]. How unions are declared: [`crate::schema::union`].

mod admit;
pub mod policy;

pub use admit::{Admitted, admit};

#[cfg(test)]
mod tests;
