//! Looks up the declarations of type names, and follows aliases and pointers.

use rustc_hash::FxHashMap;

use super::declarations::{Declarations, FieldDecl, Shape, TypeDecl, TypeExpr};

/// An index from names to declarations. Each alias is resolved once, when the index is built. A chain of aliases can
/// therefore have any length, and lookups take constant time.
pub(super) struct DeclarationIndex<'d> {
    types: &'d [TypeDecl],
    /// The index of the first declaration with each name.
    by_name: FxHashMap<&'d str, usize>,
    /// The target of each declaration, after all aliases and pointers are followed.
    resolved: Vec<Resolved<'d>>,
    /// The cycles of aliases. Each cycle occurs once.
    alias_cycles: Vec<Vec<usize>>,
}

/// The result of following the aliases and pointers of a type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolved<'d> {
    pub(super) target: Target<'d>,
    /// Whether the type or one of its aliases is a pointer.
    pub(super) is_pointer: bool,
}

/// The type at the end of a chain of aliases.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target<'d> {
    /// The index of the declaration of a struct or an enum.
    Declared(usize),
    /// A scalar, a list, a map, or any JSON.
    Unnamed(&'d TypeExpr),
    /// A name that is not declared.
    Undeclared(&'d str),
    /// No type, because the aliases are a cycle.
    Cycle,
}

impl<'d> DeclarationIndex<'d> {
    pub(super) fn new(declarations: &'d Declarations) -> Self {
        let types = declarations.types.as_slice();
        let mut by_name = FxHashMap::default();
        by_name.reserve(types.len());
        for (index, ty) in types.iter().enumerate() {
            by_name.entry(ty.name.as_str()).or_insert(index);
        }
        let mut index = DeclarationIndex { types, by_name, resolved: Vec::new(), alias_cycles: Vec::new() };
        index.resolve_all();
        index
    }

    pub(super) fn get(&self, index: usize) -> &'d TypeDecl {
        &self.types[index]
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub(super) fn alias_cycles(&self) -> impl Iterator<Item = &[usize]> {
        self.alias_cycles.iter().map(Vec::as_slice)
    }

    /// Follows the aliases of a declaration.
    pub(super) fn resolve_declared(&self, index: usize) -> Resolved<'d> {
        self.resolved[index]
    }

    /// Follows the pointers and aliases of a type expression.
    pub(super) fn resolve(&self, expr: &'d TypeExpr) -> Resolved<'d> {
        let (expr, is_pointer) = without_pointers(expr);
        let TypeExpr::Named(name) = expr else {
            return Resolved { target: Target::Unnamed(expr), is_pointer };
        };
        match self.find(name) {
            Some(index) => {
                let resolved = self.resolved[index];
                Resolved { is_pointer: is_pointer || resolved.is_pointer, ..resolved }
            }
            None => Resolved { target: Target::Undeclared(name), is_pointer },
        }
    }

    /// Returns the fields of a declaration. Returns `None` if the declaration is not a struct.
    pub(super) fn struct_fields(&self, index: usize) -> Option<&'d [FieldDecl]> {
        match &self.types[index].shape {
            Shape::Struct(fields) => Some(fields),
            _ => None,
        }
    }

    /// Follows the pointers and aliases of a type expression to a struct. Returns the index of its declaration, or
    /// `None` if the type is not a struct.
    pub(super) fn resolve_struct(&self, expr: &'d TypeExpr) -> Option<usize> {
        match self.resolve(expr).target {
            Target::Declared(index) => self.struct_fields(index).map(|_| index),
            _ => None,
        }
    }

    fn resolve_all(&mut self) {
        let mut states: Vec<State<'d>> = vec![State::New; self.types.len()];
        let mut path = Vec::new();
        for start in 0..self.types.len() {
            let mut current = start;
            let mut resolved = loop {
                match states[current] {
                    State::Done(resolved) => break resolved,
                    State::OnPath => {
                        let first = path.iter().position(|index| *index == current).unwrap_or_default();
                        self.alias_cycles.push(path[first..].to_vec());
                        break Resolved { target: Target::Cycle, is_pointer: false };
                    }
                    State::New => {}
                }
                states[current] = State::OnPath;
                path.push(current);
                let Shape::Alias(expr) = &self.types[current].shape else {
                    break Resolved { target: Target::Declared(current), is_pointer: false };
                };
                match without_pointers(expr).0 {
                    TypeExpr::Named(name) => match self.by_name.get(name.as_str()) {
                        Some(next) => current = *next,
                        None => break Resolved { target: Target::Undeclared(name), is_pointer: false },
                    },
                    expr => break Resolved { target: Target::Unnamed(expr), is_pointer: false },
                }
            };
            for index in path.drain(..).rev() {
                if let Shape::Alias(expr) = &self.types[index].shape {
                    resolved.is_pointer |= without_pointers(expr).1;
                }
                states[index] = State::Done(resolved);
            }
        }
        self.resolved = states
            .into_iter()
            .map(|state| match state {
                State::Done(resolved) => resolved,
                State::New | State::OnPath => Resolved { target: Target::Cycle, is_pointer: false },
            })
            .collect();
    }
}

/// The state of resolving one declaration.
#[derive(Clone, Copy)]
enum State<'d> {
    /// The declaration was not visited yet.
    New,
    /// The declaration is part of the chain of aliases that is being followed.
    OnPath,
    Done(Resolved<'d>),
}

/// Removes all pointers from a type expression. The flag is true if there was a pointer.
fn without_pointers(mut expr: &TypeExpr) -> (&TypeExpr, bool) {
    let mut is_pointer = false;
    while let TypeExpr::Pointer(target) = expr {
        is_pointer = true;
        expr = target;
    }
    (expr, is_pointer)
}

/// Returns the names of the declarations in a cycle for an error message. The first name is repeated at the end. A long
/// cycle is shortened.
pub(super) fn describe_cycle(index: &DeclarationIndex<'_>, cycle: &[usize]) -> String {
    /// Maximum number of names in a message.
    const MAX_NAMES: usize = 8;
    let mut names: Vec<&str> =
        cycle.iter().take(MAX_NAMES).map(|declared| index.get(*declared).name.as_str()).collect();
    if cycle.len() > MAX_NAMES {
        names.push("…");
    }
    names.extend(cycle.first().map(|first| index.get(*first).name.as_str()));
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::ScalarType;

    fn alias(name: &str, target: TypeExpr) -> TypeDecl {
        TypeDecl::new(name, Shape::Alias(target))
    }

    fn named(name: &str) -> TypeExpr {
        TypeExpr::Named(name.to_owned())
    }

    #[test]
    fn aliases_are_followed_to_their_end() {
        let types = vec![
            alias("a", named("b")),
            alias("b", TypeExpr::Pointer(Box::new(named("c")))),
            alias("c", TypeExpr::Scalar(ScalarType::String)),
            alias("undeclared", named("missing")),
        ];
        let declarations = Declarations { types };
        let index = DeclarationIndex::new(&declarations);
        let resolved = |name: &str| index.resolve_declared(index.find(name).unwrap());
        for (name, is_pointer) in [("a", true), ("b", true), ("c", false)] {
            assert!(
                matches!(resolved(name).target, Target::Unnamed(TypeExpr::Scalar(ScalarType::String))),
                "{name}"
            );
            assert_eq!(resolved(name).is_pointer, is_pointer, "{name}");
        }
        assert!(matches!(resolved("undeclared").target, Target::Undeclared("missing")));
        assert_eq!(index.alias_cycles().count(), 0);
    }

    #[test]
    fn a_cycle_of_aliases_is_found_once() {
        let types = vec![alias("to", named("a")), alias("a", named("b")), alias("b", named("a"))];
        let declarations = Declarations { types };
        let index = DeclarationIndex::new(&declarations);
        let cycles: Vec<_> = index.alias_cycles().map(|cycle| describe_cycle(&index, cycle)).collect();
        assert_eq!(cycles, ["a, b, a"]);
        assert!((0..3).all(|i| matches!(index.resolve_declared(i).target, Target::Cycle)));
    }

    /// If the results for other aliases were not reused, this test would take 5,000,000,000 steps.
    #[test]
    fn a_long_chain_of_aliases_is_followed_once() {
        let length = 100_000;
        let mut types: Vec<_> =
            (0..length).map(|i| alias(&format!("a{i}"), named(&format!("a{}", i + 1)))).collect();
        types.push(alias(&format!("a{length}"), TypeExpr::Any));
        let declarations = Declarations { types };
        let index = DeclarationIndex::new(&declarations);
        assert!(matches!(index.resolve_declared(0).target, Target::Unnamed(TypeExpr::Any)));
    }
}
