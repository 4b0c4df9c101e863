//! Lookup of types by name, seen through pointers and aliases.

use std::collections::HashMap;

use crate::schema::{Declarations, EnumValue, FieldDecl, ScalarType, Shape, TypeDecl, TypeExpr};

/// Maximum length of a chain of aliases; a longer one is a cycle.
const MAX_ALIASES: usize = 32;

/// The declared types by name.
pub(super) struct TypeLookup<'d>(HashMap<&'d str, &'d TypeDecl>);

/// A type behind pointers and aliases.
#[derive(Clone, Copy, Debug)]
pub(super) enum ResolvedType<'d> {
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

impl<'d> TypeLookup<'d> {
    pub(super) fn new(declarations: &'d Declarations) -> Self {
        TypeLookup(declarations.types.iter().map(|ty| (ty.name.as_str(), ty)).collect())
    }

    /// Follows pointers and aliases.
    pub(super) fn resolve(&self, expr: &'d TypeExpr) -> ResolvedType<'d> {
        let mut expr = expr;
        for _ in 0..MAX_ALIASES {
            expr = match expr {
                TypeExpr::Pointer(inner) => inner,
                TypeExpr::Named(name) => match self.0.get(name.as_str()).map(|ty| &ty.shape) {
                    Some(Shape::Alias(next)) => next,
                    Some(Shape::Struct(fields)) => return ResolvedType::Struct { name, fields },
                    Some(Shape::Enum { values, closed }) => {
                        return ResolvedType::Enum { name, values, closed: *closed };
                    }
                    None => return ResolvedType::Any,
                },
                TypeExpr::Scalar(scalar) => return ResolvedType::Scalar(*scalar),
                TypeExpr::List(_) => return ResolvedType::List,
                TypeExpr::Map(_) => return ResolvedType::Map,
                TypeExpr::Any => return ResolvedType::Any,
            };
        }
        ResolvedType::Any
    }

    /// Returns true for a pointer, with which absence and the zero value differ.
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
