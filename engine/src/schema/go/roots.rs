//! What named types come to, and types that contain themselves.

use std::collections::HashMap;

use super::errors::GoErrorKind;
use super::read::{Form, Reader, Type};
use super::wellknown;
use crate::schema::{ScalarType, Shape, TypeExpr};

/// What a type is once all names are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    Struct,
    Scalar(ScalarType),
    List,
    Map,
    Any,
    /// An alias of itself; reported as such.
    Cyclic,
}

/// The roots of all declared types.
pub(super) struct Roots {
    pub(super) index: HashMap<String, usize>,
    roots: Vec<Root>,
}

impl Roots {
    pub(super) fn new(reader: &Reader<'_>) -> Self {
        let index = reader.index();
        let mut known: Vec<Option<Root>> = vec![None; reader.types.len()];
        for start in 0..reader.types.len() {
            let mut path = Vec::new();
            let mut at = start;
            let root = loop {
                if let Some(root) = known[at] {
                    break root;
                }
                // Whoever comes back to a type of this walk has gone round in a circle.
                known[at] = Some(Root::Cyclic);
                path.push(at);
                match &reader.types[at].form {
                    Form::Struct(_) => break Root::Struct,
                    Form::Other(ty) => match direct(ty) {
                        Ok(root) => break root,
                        Err(name) => match index.get(name) {
                            Some(&next) => at = next,
                            None => break well_known_root(name),
                        },
                    },
                }
            };
            for i in path {
                known[i] = Some(root);
            }
        }
        let roots = known.into_iter().map(|root| root.unwrap_or(Root::Cyclic)).collect();
        Roots { index, roots }
    }

    /// What a type is.
    pub(super) fn of(&self, ty: &TypeExpr) -> Root {
        match direct(ty) {
            Ok(root) => root,
            Err(name) => self.index.get(name).map_or_else(|| well_known_root(name), |&i| self.roots[i]),
        }
    }
}

/// The root of a type that is not named, or the name; pointers are followed.
fn direct(ty: &TypeExpr) -> Result<Root, &str> {
    match ty {
        TypeExpr::Named(name) => Err(name),
        TypeExpr::Pointer(target) => direct(target),
        TypeExpr::Scalar(scalar) => Ok(Root::Scalar(*scalar)),
        TypeExpr::List(_) => Ok(Root::List),
        TypeExpr::Map(_) => Ok(Root::Map),
        TypeExpr::Any => Ok(Root::Any),
    }
}

fn well_known_root(name: &str) -> Root {
    match wellknown::get(name).map(|decl| &decl.shape) {
        Some(Shape::Struct(_)) => Root::Struct,
        Some(Shape::Enum { .. }) => Root::Scalar(ScalarType::String),
        Some(Shape::Alias(ty)) => direct(ty).unwrap_or(Root::Any),
        None => Root::Any,
    }
}

/// Types that contain themselves by value, as Go refuses them, and structs that inline themselves.
pub(super) fn recursion(reader: &mut Reader<'_>, index: &HashMap<String, usize>) {
    let edges: Vec<Vec<usize>> = reader.types.iter().map(|ty| contained(ty, index)).collect();
    // 0: not seen, 1: on the way, 2: done.
    let mut state = vec![0_u8; edges.len()];
    for start in 0..edges.len() {
        let mut way = vec![(start, 0)];
        while let Some((at, next)) = way.last_mut() {
            if *next == 0 && state[*at] != 0 {
                if state[*at] == 1 {
                    let ty = &reader.types[*at];
                    let message =
                        format!("the type `{}` contains itself: use a pointer, a list or a map", ty.name);
                    reader.errors.push(ty.at.error(GoErrorKind::RecursiveType, message));
                }
                way.pop();
                continue;
            }
            state[*at] = 1;
            if let Some(&target) = edges[*at].get(*next) {
                *next += 1;
                way.push((target, 0));
            } else {
                state[*at] = 2;
                way.pop();
            }
        }
    }
}

/// The types that a type contains by value, or inlines.
fn contained(ty: &Type, index: &HashMap<String, usize>) -> Vec<usize> {
    let by_value = |ty: &TypeExpr, inline: bool| match ty {
        TypeExpr::Named(name) => index.get(name).copied(),
        TypeExpr::Pointer(target) if inline => direct(target).err().and_then(|name| index.get(name).copied()),
        _ => None,
    };
    match &ty.form {
        Form::Struct(fields) => fields.iter().filter_map(|f| by_value(&f.decl.ty, f.decl.inline)).collect(),
        Form::Other(ty) => by_value(ty, false).into_iter().collect(),
    }
}
