//! Unions: sets of fields of which one is chosen, how they are declared, and what a server does with them.
//!
//! [`Unions::declared`] reads them from Go markers and extensions and checks every rule of declaring them;
//! [`Schema::compile`](crate::schema::Schema::compile) attaches them to their structs, so that a view of the schema
//! has only the members and values that its party knows. [`admit`] takes an object through a [`policy`].

mod admit;
mod attach;
mod declarative;
mod declare;
mod errors;
mod kep;
mod markers;
mod model;
pub mod openapi;
pub mod policy;
mod types;

pub use admit::{Admitted, admit};
pub use declare::{PassedOver, Unions};
pub use errors::{UnionError, UnionErrorKind};
pub use model::{Cardinality, Discriminator, Form, Member, Selection, Union};

#[cfg(test)]
mod tests;
