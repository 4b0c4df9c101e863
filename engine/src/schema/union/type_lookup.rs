//! Lookup of types, seen through pointers and aliases.

use crate::schema::resolution::{DeclarationIndex, Target};
use crate::schema::{EnumValue, ScalarType, Shape, TypeExpr};

/// A type behind pointers and aliases.
#[derive(Clone, Copy, Debug)]
pub(super) enum ResolvedType<'d> {
    /// A string type with constants.
    Enum { name: &'d str, values: &'d [EnumValue], closed: bool },
    /// A struct.
    Struct,
    /// A JSON scalar.
    Scalar(ScalarType),
    /// A list.
    List,
    /// A map.
    Map,
    /// Any JSON, or a type that is not declared, which is reported elsewhere.
    Any,
}

/// Follows pointers and aliases.
pub(super) fn resolve<'d>(types: &DeclarationIndex<'d>, expr: &'d TypeExpr) -> ResolvedType<'d> {
    match types.resolve(expr).target {
        Target::Declared(index) => {
            let ty = types.get(index);
            match &ty.shape {
                Shape::Struct(_) => ResolvedType::Struct,
                Shape::Enum { values, closed } => {
                    ResolvedType::Enum { name: &ty.name, values, closed: *closed }
                }
                Shape::Alias(_) => ResolvedType::Any,
            }
        }
        Target::Unnamed(TypeExpr::Scalar(scalar)) => ResolvedType::Scalar(*scalar),
        Target::Unnamed(TypeExpr::List(_)) => ResolvedType::List,
        Target::Unnamed(TypeExpr::Map(_)) => ResolvedType::Map,
        Target::Unnamed(_) | Target::Undeclared(_) | Target::Cycle => ResolvedType::Any,
    }
}
