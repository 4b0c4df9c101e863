//! The kind of a type after pointers and aliases are followed.

use crate::schema::resolution::{DeclarationIndex, Target};
use crate::schema::{EnumValue, ScalarType, Shape, TypeExpr};

/// The kind of a type after pointers and aliases are followed.
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
    /// Any JSON value, or a type that is not declared. The schema compiler reports undeclared types.
    Any,
}

/// Follows the pointers and aliases of a type expression.
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
