mod declare;
pub(crate) mod kep_text;
mod openapi;
mod views;

use super::{Union, UnionError, UnionErrorKind, Unions};
use crate::schema::{Declarations, Schema, go};
pub(crate) use crate::test_support::schema_of as schema;

#[track_caller]
pub(crate) fn read(source: &str) -> Declarations {
    go::read(source).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// Returns the unions of Go declarations, which must be valid.
#[track_caller]
pub(crate) fn declared(source: &str) -> Unions {
    Unions::declared(&read(source)).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// Returns the errors of Go declarations, which must be invalid.
#[track_caller]
pub(crate) fn refused(source: &str) -> Vec<UnionError> {
    Unions::declared(&read(source)).expect_err("the unions must be refused")
}

/// Returns the line and the kind of each error of Go declarations.
#[track_caller]
pub(crate) fn kinds(source: &str) -> Vec<(u32, UnionErrorKind)> {
    refused(source).iter().map(|error| (error.line, error.kind)).collect()
}

#[track_caller]
pub(crate) fn only(unions: &Unions, ty: &str) -> Union {
    let [union] = unions.of_type(ty) else { panic!("{ty} has {:#?}", unions.of_type(ty)) };
    union.clone()
}

/// Returns the field, the value and the flag `optional` of each member.
pub(crate) fn members(union: &Union) -> Vec<(&str, &str, bool)> {
    union.members.iter().map(|m| (m.field.as_str(), m.value.as_str(), m.optional)).collect()
}
