mod admit;
mod bad_input;
mod edges;
mod policies;
mod properties;
mod registry;
mod types;

use crate::schema::union::tests::{declared, kinds, only, read, refused, schema};
use crate::schema::union::{Union, UnionErrorKind};

/// The names of all policies, in the order of the registry. The tables of the tests use the same order.
const POLICIES: [&str; 7] = [
    "none",
    "legacy",
    "deduce",
    "kep-1027",
    "kep-1027-ratcheting",
    "discriminator-defaulting",
    "declarative",
];
