//! Types by name, seen through pointers and aliases.

use std::collections::HashMap;

use crate::schema::{Declarations, EnumValue, FieldDecl, ScalarType, Shape, TypeDecl, TypeExpr};

/// How many aliases may lead to one another: more is a circle.
const MAX_ALIASES: usize = 32;

/// The declared types by name.
pub(super) struct Types<'d>(HashMap<&'d str, &'d TypeDecl>);

/// What a type is in the end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Resolved<'d> {
    /// A string type with constants.
    Enum { name: &'d str, values: &'d [EnumValue], closed: bool },
    /// A struct and its fields.
    Struct { name: &'d str, fields: &'d [FieldDecl] },
    /// A JSON scalar.
    Scalar(ScalarType),
    /// A list.
    List,
    /// A map.
    Map,
    /// Any JSON, or a type that is not declared, which is reported elsewhere.
    Any,
}

impl<'d> Types<'d> {
    pub(super) fn of(declarations: &'d Declarations) -> Self {
        Types(declarations.types.iter().map(|ty| (ty.name.as_str(), ty)).collect())
    }

    /// What a type is, behind pointers and aliases.
    pub(super) fn resolve(&self, expr: &'d TypeExpr) -> Resolved<'d> {
        let mut expr = expr;
        for _ in 0..MAX_ALIASES {
            expr = match expr {
                TypeExpr::Pointer(inner) => inner,
                TypeExpr::Named(name) => match self.0.get(name.as_str()).map(|ty| &ty.shape) {
                    Some(Shape::Alias(next)) => next,
                    Some(Shape::Struct(fields)) => return Resolved::Struct { name, fields },
                    Some(Shape::Enum { values, closed }) => {
                        return Resolved::Enum { name, values, closed: *closed };
                    }
                    None => return Resolved::Any,
                },
                TypeExpr::Scalar(scalar) => return Resolved::Scalar(*scalar),
                TypeExpr::List(_) => return Resolved::List,
                TypeExpr::Map(_) => return Resolved::Map,
                TypeExpr::Any => return Resolved::Any,
            };
        }
        Resolved::Any
    }

    /// Does the type hold a pointer, so that absence and the zero value differ?
    pub(super) fn is_pointer(&self, expr: &TypeExpr) -> bool {
        let mut expr = expr;
        for _ in 0..MAX_ALIASES {
            expr = match expr {
                TypeExpr::Pointer(_) => return true,
                TypeExpr::Named(name) => match self.0.get(name.as_str()).map(|ty| &ty.shape) {
                    Some(Shape::Alias(next)) => next,
                    _ => return false,
                },
                _ => return false,
            };
        }
        false
    }
}
