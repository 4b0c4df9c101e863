//! The underlying types of named types, and the check for types that contain themselves.

use std::collections::HashMap;

use super::errors::{GoError, GoErrorKind};
use super::types::{ParsedType, TypeBody};
use crate::schema::{ScalarType, Shape, TypeExpr, well_known};

/// The form of a type after all names and pointers are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Underlying {
    Struct,
    Scalar(ScalarType),
    List,
    Map,
    Any,
    /// The type is an alias of itself. This is reported as an error.
    Cyclic,
}

/// The underlying types of all declared types.
pub(super) struct UnderlyingTypes {
    /// The index of each type by name. If two types have the same name, this is the index of the first.
    index_by_name: HashMap<String, usize>,
    /// The underlying type of each declared type, in the order of the types.
    underlying: Vec<Underlying>,
}

impl UnderlyingTypes {
    pub(super) fn new(types: &[ParsedType]) -> Self {
        let mut index_by_name = HashMap::with_capacity(types.len());
        for (i, ty) in types.iter().enumerate() {
            index_by_name.entry(ty.name.clone()).or_insert(i);
        }
        let mut resolved: Vec<Option<Underlying>> = vec![None; types.len()];
        for start in 0..types.len() {
            let mut path = Vec::new();
            let mut current = start;
            let underlying = loop {
                if let Some(underlying) = resolved[current] {
                    break underlying;
                }
                // The path has returned to one of its own types, so that the types are a cycle.
                resolved[current] = Some(Underlying::Cyclic);
                path.push(current);
                match &types[current].body {
                    TypeBody::Struct(_) => break Underlying::Struct,
                    TypeBody::Expr(ty) => match without_names(ty) {
                        Ok(underlying) => break underlying,
                        Err(name) => match index_by_name.get(name) {
                            Some(&next) => current = next,
                            None => break underlying_of_well_known(name),
                        },
                    },
                }
            };
            for i in path {
                resolved[i] = Some(underlying);
            }
        }
        let underlying = resolved.into_iter().map(|u| u.unwrap_or(Underlying::Cyclic)).collect();
        UnderlyingTypes { index_by_name, underlying }
    }

    /// Returns the underlying type of a type expression.
    pub(super) fn of(&self, ty: &TypeExpr) -> Underlying {
        match without_names(ty) {
            Ok(underlying) => underlying,
            Err(name) => {
                self.index(name).map_or_else(|| underlying_of_well_known(name), |i| self.underlying[i])
            }
        }
    }

    /// Returns the index of the declared type with this name.
    pub(super) fn index(&self, name: &str) -> Option<usize> {
        self.index_by_name.get(name).copied()
    }

    /// Reports types that contain themselves by value, as Go refuses them, and structs that inline themselves.
    pub(super) fn report_recursion(&self, types: &[ParsedType], errors: &mut Vec<GoError>) {
        #[derive(Clone, Copy, PartialEq)]
        enum Visit {
            NotStarted,
            OnPath,
            Done,
        }
        let edges: Vec<Vec<usize>> = types.iter().map(|ty| self.contained_by(ty)).collect();
        let mut visits = vec![Visit::NotStarted; edges.len()];
        for start in 0..edges.len() {
            // The path from `start` to the current type. Each type has the number of its contained types that were
            // visited.
            let mut path = vec![(start, 0)];
            while let Some((current, next_edge)) = path.last_mut() {
                if *next_edge == 0 && visits[*current] != Visit::NotStarted {
                    if visits[*current] == Visit::OnPath {
                        let ty = &types[*current];
                        let message =
                            format!("the type `{}` contains itself: use a pointer, a list or a map", ty.name);
                        errors.push(ty.position.error(GoErrorKind::RecursiveType, message));
                    }
                    path.pop();
                    continue;
                }
                visits[*current] = Visit::OnPath;
                if let Some(&target) = edges[*current].get(*next_edge) {
                    *next_edge += 1;
                    path.push((target, 0));
                } else {
                    visits[*current] = Visit::Done;
                    path.pop();
                }
            }
        }
    }

    /// Returns the indices of the types that a type contains by value or inlines.
    fn contained_by(&self, ty: &ParsedType) -> Vec<usize> {
        let by_value = |ty: &TypeExpr, inline: bool| match ty {
            TypeExpr::Named(name) => self.index(name),
            TypeExpr::Pointer(target) if inline => {
                without_names(target).err().and_then(|name| self.index(name))
            }
            _ => None,
        };
        match &ty.body {
            TypeBody::Struct(fields) => fields
                .iter()
                .filter_map(|field| by_value(&field.declaration.ty, field.declaration.inline))
                .collect(),
            TypeBody::Expr(ty) => by_value(ty, false).into_iter().collect(),
        }
    }
}

/// Returns the underlying type of a type expression after following pointers. Returns the name as an error if the
/// expression is a name.
fn without_names(ty: &TypeExpr) -> Result<Underlying, &str> {
    match ty {
        TypeExpr::Named(name) => Err(name),
        TypeExpr::Pointer(target) => without_names(target),
        TypeExpr::Scalar(scalar) => Ok(Underlying::Scalar(*scalar)),
        TypeExpr::List(_) => Ok(Underlying::List),
        TypeExpr::Map(_) => Ok(Underlying::Map),
        TypeExpr::Any | TypeExpr::RawExtension => Ok(Underlying::Any),
    }
}

fn underlying_of_well_known(name: &str) -> Underlying {
    match well_known::get(name).map(|decl| &decl.shape) {
        Some(Shape::Struct(_)) => Underlying::Struct,
        Some(Shape::Enum { .. }) => Underlying::Scalar(ScalarType::String),
        Some(Shape::Alias(ty)) => without_names(ty).unwrap_or(Underlying::Any),
        None => Underlying::Any,
    }
}
