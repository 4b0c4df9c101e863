mod admit;
mod bad_input;
mod declare;
mod edges;
mod intents;
mod kep_rows;
mod kep_text;
mod openapi;
mod policies;
mod properties;
mod registry;
mod views;

use crate::schema::{Declarations, Schema, go};
use crate::union::{Union, UnionError, UnionErrorKind, Unions};

/// The policies, in the order of the design, which is that of the tables here.
const POLICIES: [&str; 7] = [
    "none",
    "legacy",
    "deduce",
    "kep-1027",
    "kep-1027-ratcheting",
    "discriminator-defaulting",
    "declarative",
];

#[track_caller]
fn read(source: &str) -> Declarations {
    go::read(source).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// The unions of a text that must be well declared.
#[track_caller]
fn declared(source: &str) -> Unions {
    Unions::declared(&read(source)).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// The errors of a text that must not be.
#[track_caller]
fn refused(source: &str) -> Vec<UnionError> {
    Unions::declared(&read(source)).expect_err("the unions must be refused")
}

/// Line and kind of every error.
#[track_caller]
fn kinds(source: &str) -> Vec<(u32, UnionErrorKind)> {
    refused(source).iter().map(|error| (error.line, error.kind)).collect()
}

#[track_caller]
fn only(unions: &Unions, ty: &str) -> Union {
    let [union] = unions.of_type(ty) else { panic!("{ty} has {:#?}", unions.of_type(ty)) };
    union.clone()
}

#[track_caller]
fn schema(source: &str) -> Schema {
    Schema::compile(&read(source)).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// Field, value, optional.
fn members(union: &Union) -> Vec<(&str, &str, bool)> {
    union.members.iter().map(|m| (m.field.as_str(), m.value.as_str(), m.optional)).collect()
}
